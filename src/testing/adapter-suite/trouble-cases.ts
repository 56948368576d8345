import assert from 'node:assert/strict'
import type { AdapterCase } from './adapter-case.ts'
import { failingStore } from './failing-store.ts'
import { asked, inTime, inWorlds, lookUp, pay, resumed, stateOf } from './tools.ts'

/** Longer than any lease. */
const LEASE_MS = 10 * 60_000

/** Processes die, and the store fails. */
export const troubleCases: readonly AdapterCase[] = inWorlds([
  {
    name: 'a call whose process died after the effect is not run again, and a person is asked what happened',
    guarantee: 'crash',
    time: true,
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'approve' })
      const dying = failingStore(world.store)
      await inTime(
        new Promise<void>((died, failed) => {
          const paying = () => {
            dying.state = 'gone'
            died()
            return new Promise<never>(() => undefined)
          }
          world
            .host({ store: dying.store, paying })
            .then((host) => host.resume(saved))
            .then(() => assert.fail('the approved call did not run'))
            .catch(failed)
        }),
      )
      world.clock?.advance(LEASE_MS)
      const turn = await resumed(await world.host(), saved)
      assert.ok(!turn?.calls.some(({ status }) => status === 'done'), 'nobody knows whether it took effect')
      assert.deepEqual(world.amounts, [20])
      // Hosts that fail on an unknown outcome ask when they are resumed again.
      await resumed(await world.host(), saved)
      assert.deepEqual(
        (await world.open()).map(({ reason }) => reason),
        ['unknown_outcome'],
      )
      await world.decideAll({ type: 'respond', message: 'It was paid.' })
      const told = stateOf(await resumed(await world.host(), saved), 'c1')
      assert.ok(JSON.stringify(told).includes('It was paid.'), 'the model reads what happened')
      assert.deepEqual(world.amounts, [20])
    },
  },
  {
    name: 'nothing runs while the store is down, not even a call that needs no person',
    guarantee: 'store down',
    run: async (world) => {
      const failing = failingStore(world.store)
      failing.state = 'down'
      for (const call of [pay('c1'), lookUp('c2')]) {
        const host = await world.host({ store: failing.store }).catch(() => undefined)
        const turn = await inTime(host?.call([call]).catch(() => undefined) ?? Promise.resolve(undefined))
        assert.ok(!turn?.calls.some(({ status }) => status === 'done'))
      }
      assert.deepEqual([world.paid, world.looked], [[], []])
      const back = await inTime((await world.host()).call([pay('c3'), lookUp('c4')]))
      assert.equal(stateOf(back, 'c3').status, 'waiting', 'the store was what was wrong')
      assert.deepEqual(world.paid, [])
    },
  },
  {
    name: 'an approval that cannot be spent has no effect, and counts when the store is back',
    guarantee: 'store down',
    run: async (world) => {
      const failing = failingStore(world.store)
      const host = await world.host({ store: failing.store })
      const saved = await asked(world, host, [pay('c1')])
      await world.decideAll({ type: 'approve' })
      failing.state = 'down'
      const turn = await resumed(host, saved)
      assert.ok(!turn?.calls.some(({ status }) => status === 'done'))
      assert.deepEqual(world.paid, [])
      failing.state = 'up'
      assert.equal(stateOf(await resumed(await world.host(), saved), 'c1').status, 'done')
      assert.deepEqual(world.amounts, [20])
    },
  },
])
