import assert from 'node:assert/strict'
import type { AdapterCase } from './adapter-case.ts'
import { asked, inWorlds, pay, resumed, stateOf } from './tools.ts'

/** What a host saved is given to it again, as it was, changed or invented. */
export const replayCases: readonly AdapterCase[] = inWorlds([
  {
    name: 'an approved call runs once, however often its conversation is resumed',
    guarantee: 'replayed approval',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'approve' })
      const first = stateOf(await resumed(await world.host(), saved), 'c1')
      assert.equal(first.status, 'done', 'an approved call runs')
      assert.deepEqual(world.amounts, [20])
      for (let again = 0; again < 3; again++) {
        const later = stateOf(await resumed(await world.host(), saved), 'c1')
        // A host without call ids asks anew.
        if (later.status !== 'waiting') assert.deepEqual(later, first, 'a replay gets the stored result')
      }
      assert.deepEqual(world.amounts, [20], 'a replay has no effect')
    },
  },
  {
    name: 'an approval that is given at the host twice has one effect',
    guarantee: 'replayed approval',
    answer: 'approve',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      const answers = [{ callId: 'c1', decision: { type: 'approve' } }] as const
      assert.equal(stateOf(await resumed(await world.host(), saved, answers), 'c1').status, 'done')
      await resumed(await world.host(), saved, answers)
      assert.deepEqual(world.amounts, [20])
    },
  },
  {
    name: 'arguments that were changed after the approval do not run',
    guarantee: 'changed arguments',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      await world.decideAll({ type: 'approve' })
      const changed = await host.tamper(saved, 'c1', { to: 'eve', amount: 9000 })
      assert.notDeepEqual(changed, saved, 'the harness must change what was saved')
      const turn = await resumed(await world.host(), changed)
      assert.ok(!turn?.calls.some(({ status }) => status === 'done'), 'a changed call must not count as done')
      assert.ok(!world.amounts.includes(9000), 'nobody approved these arguments')
      const back = await host.tamper(changed, 'c1', pay('c1').args)
      const restored = stateOf(await resumed(await world.host(), back), 'c1')
      assert.equal(restored.status, 'done', 'the arguments alone were what was wrong')
      assert.deepEqual(world.amounts, [20], 'the approval still counts for what was approved')
    },
  },
  {
    name: 'a call that was invented in what the host saved does not run',
    guarantee: 'forged call',
    run: async (world) => {
      const host = await world.host()
      const turn = await resumed(host, await host.forge([pay('c1', 9000)]))
      assert.ok(!turn?.calls.some(({ status }) => status === 'done'), 'a forged call must not count as done')
      assert.deepEqual(world.paid, [])
    },
  },
  {
    name: 'a forged conversation is one that the host believes: a call in it that the gate has released runs',
    guarantee: 'forged call',
    run: async (world) => {
      const host = await world.host()
      await asked(world, host, [pay('c1')])
      await world.decideAll({ type: 'approve' })
      const turn = await resumed(await world.host(), await host.forge([pay('c1')]))
      assert.equal(stateOf(turn, 'c1').status, 'done', 'a harness that forges nothing proves nothing')
      assert.deepEqual(world.amounts, [20])
    },
  },
  {
    name: 'a conversation that is resumed before the decision waits on, and nobody is asked twice',
    guarantee: 'undecided resume',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      for (let again = 0; again < 2; again++)
        assert.equal(stateOf(await resumed(await world.host(), saved), 'c1').status, 'waiting')
      assert.equal((await world.open()).length, 1, 'people are asked once')
      assert.deepEqual(world.paid, [])
      await world.decideAll({ type: 'approve' })
      assert.equal(stateOf(await resumed(await world.host(), saved), 'c1').status, 'done')
      assert.deepEqual(world.amounts, [20])
    },
  },
  {
    name: 'of two processes that resume at the same time, one runs the call',
    guarantee: 'double click',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'approve' })
      const hosts = [await world.host(), await world.host(), await world.host()]
      const turns = await Promise.all(hosts.map((host) => resumed(host, saved)))
      const done = turns.filter((turn) => turn?.calls[0]?.status === 'done')
      assert.ok(done.length > 0, 'one of them runs it')
      assert.deepEqual(world.amounts, [20])
    },
  },
  {
    name: 'two clicks on approve at the host have one effect',
    guarantee: 'double click',
    answer: 'approve',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      const answers = [{ callId: 'c1', decision: { type: 'approve' } }] as const
      const hosts = [await world.host(), await world.host()]
      const turns = await Promise.all(hosts.map((one) => resumed(one, saved, answers)))
      assert.ok(turns.some((turn) => turn?.calls[0]?.status === 'done'))
      assert.deepEqual(world.amounts, [20])
    },
  },
])
