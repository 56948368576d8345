import assert from 'node:assert/strict'
import type { AdapterCase } from './adapter-case.ts'
import { asked, inTime, inWorlds, lookUp, pay, REVIEWER, resumed, stateOf, stored } from './tools.ts'

/** Which call is which. */
export const callCases: readonly AdapterCase[] = inWorlds([
  {
    name: 'a call that needs no person runs at once, and once',
    guarantee: 'free call',
    run: async (world) => {
      const turn = await inTime((await world.host()).call([lookUp('c1')]))
      assert.equal(stateOf(turn, 'c1').status, 'done')
      assert.equal(world.looked.length, 1)
      assert.deepEqual(await world.open(), [])
    },
  },
  {
    name: 'a call that needs no person is not kept from running by one of the same message that does',
    guarantee: 'free call',
    run: async (world) => {
      const saved = stored((await inTime((await world.host()).call([lookUp('c1'), pay('c2')]))).saved)
      assert.deepEqual(world.paid, [])
      await world.decideAll({ type: 'approve' })
      const turn = await resumed(await world.host(), saved)
      assert.equal(stateOf(turn, 'c2').status, 'done')
      assert.deepEqual(world.amounts, [20])
      assert.equal(world.looked.length, 1, 'the free call runs once, before or after the decision')
    },
  },
  {
    name: 'a call id that is used again with other arguments is another call',
    guarantee: 'reused call id',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      await world.decideAll({ type: 'approve' })
      assert.equal(stateOf(await resumed(host, saved), 'c1').status, 'done')
      const turn = await inTime((await world.host()).call([pay('c1', 9000)]))
      assert.equal(stateOf(turn, 'c1').status, 'waiting')
      assert.deepEqual(world.amounts, [20])
      assert.deepEqual(
        (await world.open()).map(({ args }) => args?.amount),
        [9000],
      )
    },
  },
  {
    name: 'two equal calls of one message are two requests and two effects',
    guarantee: 'equal calls',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1'), pay('c2')])
      assert.equal((await world.open()).length, 2, 'people are asked about each')
      await world.decideAll({ type: 'approve' })
      const turn = await resumed(await world.host(), saved)
      assert.deepEqual([stateOf(turn, 'c1').status, stateOf(turn, 'c2').status], ['done', 'done'])
      assert.deepEqual(world.amounts, [20, 20])
      await resumed(await world.host(), saved)
      assert.deepEqual(world.amounts, [20, 20])
    },
  },
  {
    name: 'an equal call in a later message is asked about again, and runs if it is approved too',
    guarantee: 'equal calls',
    run: async (world) => {
      for (const [id, before] of [
        ['c1', []],
        ['c2', [20]],
      ] as const) {
        const turn = await inTime((await world.host()).call([pay(id)]))
        assert.equal(stateOf(turn, id).status, 'waiting', 'an earlier approval was for one call')
        assert.deepEqual(world.amounts, before)
        await world.decideAll({ type: 'approve' })
        assert.equal(stateOf(await resumed(await world.host(), stored(turn.saved)), id).status, 'done')
      }
      assert.deepEqual(world.amounts, [20, 20])
    },
  },
  {
    name: 'of two equal calls of which one is approved, one runs',
    guarantee: 'equal calls',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1'), pay('c2')])
      const [first, second] = await world.open()
      assert.ok(first && second, 'people are asked about each')
      await world.desk.decide({ request: first, decision: { type: 'approve' }, by: REVIEWER })
      await world.desk.decide({ request: second, decision: { type: 'reject', message: 'Once.' }, by: REVIEWER })
      const turn = await resumed(await world.host(), saved)
      assert.deepEqual(turn?.calls.map(({ status }) => status).sort(), ['done', 'refused'])
      assert.deepEqual(world.amounts, [20])
    },
  },
])
