// @ts-check
import { setTimeout as pause } from 'node:timers/promises'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { createPlayer } from '../lib/subject/player.js'
import { DONE, FIRST_INPUT, INPUT, INSTRUCTIONS, lookUp, lookUps, refund, TOOLS } from '../lib/subject/scenario.js'

const { Agent, openDesk, RunState, run, sqliteStore, tool } = await loadHoldpoint()

/** @typedef {import('../../dist/index.js').Store} Store */
/** @typedef {import('../../dist/index.js').RunResult} RunResult */

/**
 * A store as durable as the peer's. Unless said otherwise, a power cut may take the last commits, and the end of the process takes nothing.
 * @param {string} path @param {{ durability?: import('../lib/sqlite/raw.js').Durability, verify?: 'chain' | 'envelope' }} [options]
 */
export function openStore(path, { durability = 'process', verify = 'chain' } = {}) {
  return sqliteStore({ path, durability, verify })
}

/** The agent, whose model gives these answers. @param {() => import('../lib/subject/scenario.js').Step} next @param {() => number} [answerMs] */
export function createOrders(next, answerMs) {
  return new Agent({
    name: 'orders',
    instructions: INSTRUCTIONS,
    model: createModel(next, answerMs),
    tools: Object.values(TOOLS).map(({ name, description, parameters, gated, execute }) =>
      tool({ name, description, parameters, needsApproval: gated, execute: /** @type {any} */ (execute) }),
    ),
  })
}

/** holdpoint, as its users call it. @param {{ answerMs?: () => number }} [options] how long the model takes to answer */
export function createHoldpoint({ answerMs } = {}) {
  const player = createPlayer()
  const agent = createOrders(() => player.next(), answerMs)
  const options = { maxTurns: null }

  return {
    agent,
    /** A finished conversation with so many tool turns. @param {Store} store @param {string} threadId @param {number} turns */
    async build(store, threadId, turns) {
      player.load([...lookUps(turns), DONE])
      expect(await run(agent, FIRST_INPUT, { threadId, store, ...options }), 'completed')
    },
    /** A run that waits for an approval after so many tool turns of its own. @param {number} turns @param {{ store: Store, threadId: string }} [place] */
    async pause(turns, place) {
      player.load([...lookUps(turns), refund(turns)])
      return expect(await run(agent, FIRST_INPUT, { ...options, ...place }), 'interrupted')
    },
    /** Input → paused → a fresh view loads it from the store → approved → done. @param {Store} store @param {string} threadId */
    async durableCycle(store, threadId) {
      player.load([refund(0), DONE])
      expect(await run(agent, INPUT, { threadId, store }), 'interrupted')
      const state = await RunState.load(agent, { threadId, store })
      await state.approve(only(state))
      const done = expect(await run(agent, state), 'completed')
      if (done.finalOutput !== DONE.text) throw new Error('holdpoint: another answer was expected')
      player.assertDone()
    },
    /**
     * One cycle of a run that this process holds: approved → the tool runs → the model looks something up → it asks for the next
     * approval → paused. As many model calls and commits as `durableCycle`, and one tool more. @param {RunResult} paused
     */
    async heldCycle({ state }) {
      player.load([lookUp(0), refund(0)])
      await state.approve(only(state))
      expect(await run(agent, state, options), 'interrupted')
      player.assertDone()
    },
    /** One approval in a row of them: approved → the tool runs → the model asks for the next. @param {RunResult} paused */
    async nextApproval({ state }) {
      player.load([refund(0)])
      await state.approve(only(state))
      expect(await run(agent, state, options), 'interrupted')
    },
    /** Text → restored → approved → done. @param {RunResult} paused */
    async textCycle(paused) {
      player.load([DONE])
      const text = paused.state.toString()
      const state = await RunState.fromString(agent, text)
      await state.approve(only(state))
      expect(await run(agent, state, options), 'completed')
      player.assertDone()
    },
    /** Text → restored. @param {RunResult} paused */
    async roundTrip(paused) {
      await RunState.fromString(agent, paused.state.toString())
    },
    /** With its conversation. @param {Store} store @param {string} threadId */
    load: (store, threadId) => RunState.load(agent, { threadId, store, messages: true }),
    /** Without its conversation. @param {Store} store @param {string} threadId */
    loadLean: (store, threadId) => RunState.load(agent, { threadId, store }),
    /** A fresh view of a paused thread approves, and takes it back, so that the next sample finds the same. @param {Store} store @param {string} threadId */
    async approveAndWithdraw(store, threadId) {
      const state = await RunState.load(agent, { threadId, store })
      const [request] = state.interruptions
      if (!request) throw new Error('holdpoint: an interruption was expected')
      await state.approve(request, { by: 'ann' })
      await openDesk({ store }).withdraw(request, 'ann')
    },
    /** A desk looks for a key that is new, and refuses the answer, which is to a version that does not exist. So keys do not add up. @param {Store} store @param {string} idempotencyKey */
    async refuseKeyed(store, idempotencyKey) {
      const desk = openDesk({ store })
      const [request] = (await desk.list({ status: 'open' })).requests
      if (!request) throw new Error('holdpoint: an open request was expected')
      const answer = {
        request: request.id,
        version: 99,
        decision: /** @type {const} */ ({ type: 'approve' }),
        by: 'ann',
      }
      const refusal = await desk.decide({ ...answer, idempotencyKey }).then(
        () => undefined,
        (error) => error,
      )
      if (refusal?.name !== 'HitlStaleAnswer')
        throw new Error('holdpoint: the answer should be stale', { cause: refusal })
    },
    /** What waits for people, as an inbox lists it. @param {Store} store */
    list: (store) => openDesk({ store }).list({ status: 'open' }),
  }
}

/** @param {RunResult} result @param {RunResult['status']} status */
function expect(result, status) {
  if (result.status !== status) {
    throw new Error(`holdpoint: ${status} was expected, not ${result.status}`, { cause: result.error })
  }
  return result
}

/** @param {RunResult['state']} state */
function only(state) {
  const [request, ...more] = state.interruptions
  if (!request || more.length > 0) throw new Error('holdpoint: one interruption was expected')
  return request
}

/** @param {() => import('../lib/subject/scenario.js').Step} next @returns {import('../../dist/index.js').Model} */
function createModel(next, answerMs) {
  return {
    name: 'fake',
    async respond() {
      if (answerMs) await pause(answerMs())
      const step = next()
      return 'text' in step ? { content: step.text } : { content: '', toolCalls: [/** @type {any} */ (step.call)] }
    },
  }
}
