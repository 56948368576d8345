import { expect, test } from 'vitest'
import { HitlStaleAnswer, memoryStore, openDesk, RunState, run, StateDiverged } from '../../src/index.ts'
import { AgentMismatch, ThreadNotFound } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf, typesOf } from '../support/stores/entries.ts'

async function asked(options: { store?: ReturnType<typeof memoryStore> } = {}) {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { threadId: 't', ...options })
  return { pay, agent, model, paused, text: paused.state.toString() }
}

test('a state that the store does not know is taken over whole, its decisions included', async () => {
  const { pay, agent, paused, text } = await asked()
  const store = memoryStore()
  const state = await RunState.fromString(agent, text)
  await state.approve('a', { by: 'ann' })
  const result = await run(agent, state, { store })
  expect(only(result).toolCallId).toBe('b')
  expect(pay.runs).toHaveLength(1)
  const desk = openDesk({ store })
  expect(await desk.get(paused.interruptions[0]!.id)).toMatchObject({
    status: 'decided',
    version: 2,
    decision: { by: { id: 'ann' } },
  })
  expect((await desk.list({ status: 'open' })).requests.map(({ id }) => id)).toEqual([paused.interruptions[1]!.id])
  // From now on the state lives in the store.
  await state.reject('b', { message: 'no' })
  const done = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(done.status).toBe('completed')
  expect(resultsIn(done.state.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'no'],
  ])
})

test('a text whose entries the store has already goes on from what the store knows', async () => {
  const store = memoryStore()
  const { pay, agent, text } = await asked({ store })
  const live = await RunState.load(agent, { threadId: 't', store })
  await live.approve('a')
  await run(agent, live)
  const old = await RunState.fromString(agent, text)
  expect(old.interruptions).toHaveLength(2)
  const result = await run(agent, old, { store })
  expect(only(result).toolCallId).toBe('b')
  expect(pay.runs).toHaveLength(1)
})

test('decisions made on a text go through the desk of its store', async () => {
  const store = memoryStore()
  const { pay, agent, model, text } = await asked({ store })
  const state = await RunState.fromString(agent, text)
  await state.edit('a', { args: { n: 2 }, by: 'ann', comment: 'less' })
  await state.reject('b', { message: 'no' })
  const result = await run(agent, state, { store })
  expect(result.status).toBe('completed')
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 2 }])
  expect(resultsIn(model.requests[1]?.messages).map(([id]) => id)).toEqual(['a', 'b'])
  expect((await entriesOf(store, 't')).find(({ type }) => type === 'request.decided')).toMatchObject({
    by: { id: 'ann' },
    comment: 'less',
  })
})

test('a standing decision made on a text is one in the store', async () => {
  const store = memoryStore()
  const { pay, agent, text } = await asked({ store })
  const state = await RunState.fromString(agent, text)
  await state.approve('a', { always: true })
  expect((await run(agent, state, { store })).status).toBe('completed')
  expect(pay.runs).toHaveLength(2)
})

test('a decision on a text that lost to one in the store is refused, and the same one is no conflict', async () => {
  const store = memoryStore()
  const { pay, agent, text } = await asked({ store })
  const live = await RunState.load(agent, { threadId: 't', store })
  await live.reject('a', { by: 'bob' })
  const state = await RunState.fromString(agent, text)
  await state.approve('a', { by: 'ann' })
  const error = await refused(run(agent, state, { store }), HitlStaleAnswer, 'stale_answer')
  expect(error).toMatchObject({ by: { id: 'bob' } })
  expect(pay.runs).toEqual([])
  const same = await RunState.fromString(agent, text)
  await same.reject('a', { by: 'bob' })
  expect(only(await run(agent, same, { store })).toolCallId).toBe('b')
})

test('a text in which calls ran that the store knows nothing of has diverged, and nothing is stored', async () => {
  const store = memoryStore()
  const { agent, text } = await asked({ store })
  const state = await RunState.fromString(agent, text)
  await state.approve('a')
  await run(agent, state)
  const before = await entriesOf(store, 't')
  const error = await refused(run(agent, state, { store }), StateDiverged, 'state_diverged')
  expect(error.threadId).toBe('t')
  expect(await entriesOf(store, 't')).toEqual(before)
})

test('a text of another conversation under the same id has diverged', async () => {
  const store = memoryStore()
  await asked({ store })
  const { agent, text } = await asked()
  const state = await RunState.fromString(agent, text)
  await refused(run(agent, state, { store }), StateDiverged, 'state_diverged')
})

test('a text that claims the requests of another thread is refused', async () => {
  const store = memoryStore()
  const { agent, text } = await asked({ store })
  const fork = await RunState.fromString(agent, text.replace('"threadId":"t"', '"threadId":"fork"'))
  await refused(run(agent, fork, { store }), StateDiverged, 'state_diverged')
  expect(await typesOf(store, 'fork')).toEqual([])
})

test('the wrong agent is refused before anything is stored', async () => {
  const store = memoryStore()
  const { agent, text } = await asked()
  const state = await RunState.fromString(agent, text)
  const { agent: other } = scripted([], agent.tools, { name: 'other' })
  await refused(run(other, state, { store }), AgentMismatch, 'agent_mismatch')
  expect(await typesOf(store, 't')).toEqual([])
})

test('a state loads from the store alone, in any process, and decisions on it are stored', async () => {
  const store = memoryStore()
  const { pay, agent, paused } = await asked({ store })
  const one = await RunState.load(agent, { threadId: 't', store })
  expect(one.interruptions).toEqual(paused.interruptions)
  await one.approve('a')
  const two = await RunState.load(agent, { threadId: 't', store })
  expect(two.interruptions.map(({ toolCallId }) => toolCallId)).toEqual(['b'])
  // The first state, too, sees what the second decided once it is run.
  await two.approve('b')
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(2)
})

test('a thread that is not there cannot be loaded', async () => {
  const { agent } = scripted([])
  const error = await refused(
    RunState.load(agent, { threadId: 'nope', store: memoryStore() }),
    ThreadNotFound,
    'thread_not_found',
  )
  expect(error.threadId).toBe('nope')
})

test('a tenant keeps its name and its idempotency keys through text', async () => {
  const store = memoryStore().tenant('acme')
  const { pay, agent, paused, text } = await asked({ store })
  expect(paused.interruptions[0]?.tenant).toBe('acme')
  const restored = await RunState.fromString(agent, text)
  expect(restored.interruptions).toEqual(paused.interruptions)
  expect(restored.toString()).toBe(text)
  for (const state of [restored, paused.state]) {
    await state.approve('a')
    await run(agent, state)
  }
  const [one, two] = pay.runs.map(({ ctx }) => ctx.idempotencyKey)
  expect(one).toBe(two)
})

test('threads of one tenant are absent for another', async () => {
  const store = memoryStore()
  const { agent, paused } = await asked({ store })
  const other = store.tenant('other')
  await refused(RunState.load(agent, { threadId: 't', store: other }), ThreadNotFound, 'thread_not_found')
  expect((await openDesk({ store: other }).list()).requests).toEqual([])
  await expect(openDesk({ store: other }).get(paused.interruptions[0]!.id)).rejects.toMatchObject({
    code: 'no_pending_request',
  })
})
