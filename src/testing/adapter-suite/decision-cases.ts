import assert from 'node:assert/strict'
import type { Decision } from '../../protocol/decision.ts'
import type { AdapterCase, HostCallState } from './adapter-case.ts'
import { asked, inWorlds, pay, REVIEWER, resumed, stateOf } from './tools.ts'

/** Fails unless the model can read these words. */
function says(state: HostCallState, words: string): void {
  assert.notEqual(state.status, 'waiting', 'the call is decided')
  assert.ok(JSON.stringify(state).includes(words), `the model must read "${words}", not ${JSON.stringify(state)}`)
}

/** People decide at the host or elsewhere. */
export const decisionCases: readonly AdapterCase[] = inWorlds([
  {
    name: 'a rejection elsewhere is what the model reads, and nothing runs',
    guarantee: 'decision elsewhere',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'reject', message: 'Not before Friday.' })
      const state = stateOf(await resumed(await world.host(), saved), 'c1')
      says(state, 'Not before Friday.')
      assert.equal(state.status, 'refused', 'a rejection is no result')
      assert.deepEqual(world.paid, [])
    },
  },
  {
    name: 'an answer in place of the call is what the model reads, and nothing runs',
    guarantee: 'decision elsewhere',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'respond', message: 'Paid in cash.' })
      says(stateOf(await resumed(await world.host(), saved), 'c1'), 'Paid in cash.')
      assert.deepEqual(world.paid, [])
    },
  },
  {
    name: 'of two calls of one message that are decided differently, only the approved one runs',
    guarantee: 'decision elsewhere',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1', 1), pay('c2', 2)])
      for (const request of await world.open()) {
        const approve = request.args?.amount === 2
        const decision: Decision = approve ? { type: 'approve' } : { type: 'reject', message: 'No.' }
        await world.desk.decide({ request, decision, by: REVIEWER })
      }
      const turn = await resumed(await world.host(), saved)
      assert.deepEqual([stateOf(turn, 'c1').status, stateOf(turn, 'c2').status], ['refused', 'done'])
      assert.deepEqual(world.amounts, [2])
    },
  },
  {
    name: 'a rejection elsewhere stands, whatever is answered at the host afterwards',
    guarantee: 'decision elsewhere',
    answer: 'approve',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      await world.decideAll({ type: 'reject', message: 'No.' })
      await resumed(await world.host(), saved, [{ callId: 'c1', decision: { type: 'approve' } }])
      assert.deepEqual(world.paid, [])
    },
  },
  {
    name: 'an edit elsewhere runs with the edited arguments, once',
    guarantee: 'edit',
    run: async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1')])
      await world.decideAll({ type: 'edit', args: { to: 'bob', amount: 5 } })
      assert.equal(stateOf(await resumed(await world.host(), saved), 'c1').status, 'done')
      await resumed(await world.host(), saved)
      assert.deepEqual(world.amounts, [5])
    },
  },
  {
    name: 'an edit at the host runs with the edited arguments, once',
    guarantee: 'edit',
    answer: 'edit',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      const answers = [{ callId: 'c1', decision: { type: 'edit', args: { to: 'bob', amount: 5 } } }] as const
      assert.equal(stateOf(await resumed(host, saved, answers), 'c1').status, 'done')
      await resumed(await world.host(), saved, answers)
      assert.deepEqual(world.amounts, [5])
    },
  },
  {
    name: 'a decision at the host is recorded under the name of its verified person',
    guarantee: 'decision elsewhere',
    answer: 'reject',
    run: async (world) => {
      const host = await world.host()
      const saved = await asked(world, host, [pay('c1')])
      const decision: Decision = { type: 'reject', message: 'Too much.' }
      const state = stateOf(await resumed(host, saved, [{ callId: 'c1', decision }]), 'c1')
      assert.equal(state.status, 'refused')
      const [request] = (await world.desk.list({ status: 'decided' })).requests
      assert.equal(request?.decision?.type, 'reject')
      assert.equal(request.decision.by.id, REVIEWER.id)
      assert.deepEqual(world.paid, [])
    },
  },
])
