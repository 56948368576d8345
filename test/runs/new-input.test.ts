import { expect, test } from 'vitest'
import { HitlStaleAnswer, memoryStore, openDesk, type Part, RunState, run, ThreadPaused } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { AgentMismatch } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { typesOf } from '../support/stores/entries.ts'
import { brings, intercept } from '../support/stores/wrapped-stores.ts'

async function waiting() {
  const store = memoryStore()
  const [pay, look] = [gated('pay'), free('look')]
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'look'], ['c', 'pay']), 'Done.', 'More.'], [pay, look])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  return { store, pay, look, agent, model, paused }
}

test('new input on a thread that waits for people is refused and says for what', async () => {
  const { store, agent, paused } = await waiting()
  const before = await typesOf(store, 't')
  const error = await refused(run(agent, 'hello?', { store, threadId: 't' }), ThreadPaused, 'thread_paused')
  expect(error).toMatchObject({ threadId: 't', requestIds: paused.interruptions.map(({ id }) => id) })
  expect(await typesOf(store, 't')).toEqual(before)
})

test("'queue' keeps the requests open and shows the input to the model after the results", async () => {
  const { store, agent, model, paused } = await waiting()
  const queued = await run(agent, 'and hurry', { store, threadId: 't', whilePaused: 'queue' })
  expect(queued.interruptions).toEqual(paused.interruptions)
  expect(model.requests).toHaveLength(1)
  await queued.state.decide({ decisions: [{ type: 'approve' }, { type: 'reject', message: 'no' }] })
  const result = await run(agent, queued.state)
  expect(result.status).toBe('completed')
  expect(model.requests[1]?.messages.slice(2)).toEqual([
    expect.objectContaining({ toolCallId: 'a', content: 'pay done' }),
    expect.objectContaining({ toolCallId: 'b', content: 'look done' }),
    expect.objectContaining({ toolCallId: 'c', content: 'no' }),
    { role: 'user', content: 'and hurry' },
  ])
})

test("'supersede' closes the requests, refuses their calls and goes on with the new input", async () => {
  const { store, pay, agent, model, paused } = await waiting()
  const result = await run(agent, 'never mind', { store, threadId: 't', whilePaused: 'supersede' })
  expect(result.status).toBe('completed')
  expect(pay.runs).toEqual([])
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', expect.stringContaining('Not run')],
    ['b', 'look done'],
    ['c', expect.stringContaining('Not run')],
  ])
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'never mind' })
  for (const { id } of paused.interruptions) {
    expect(await openDesk({ store }).get(id)).toMatchObject({ status: 'superseded', version: 2 })
    const error = await refused(paused.state.approve(id), HitlStaleAnswer, 'stale_answer')
    expect(error).toMatchObject({ requestStatus: 'superseded', decision: undefined, by: { kind: 'system' } })
  }
})

test("'supersede' does not say that a call was not run when nobody knows", async () => {
  const store = memoryStore()
  const abort = new AbortController()
  const cut = free('cut', {
    execute(_args: unknown, ctx) {
      abort.abort()
      ctx.signal.throwIfAborted()
    },
  })
  const { agent, model } = scripted([calls(['a', 'cut'], ['b', 'pay']), 'Done.'], [cut, gated('pay')])
  await run(agent, 'go', { store, threadId: 't', signal: abort.signal })
  // The cut call is started and nobody knows how it ended; the other one waits for a person.
  const result = await run(agent, 'never mind', { store, threadId: 't', whilePaused: 'supersede' })
  expect(result.status).toBe('completed')
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', expect.stringMatching(/started.*not known/)],
    ['b', expect.stringContaining('Not run')],
  ])
  expect(cut.runs).toHaveLength(1)
})

test('input added to a state is read after the results of what is pending', async () => {
  const { agent, model, paused } = await waiting()
  await paused.state.addInput('one')
  await paused.state.addInput([{ role: 'system', content: 'two' }])
  await paused.state.decide({ decisions: [{ type: 'reject' }, { type: 'reject' }] })
  const restored = await RunState.fromString(agent, paused.state.toString())
  await run(agent, restored)
  expect(model.requests[1]?.messages.slice(-2)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'system', content: 'two' },
  ])
  expect(resultsIn(model.requests[1]?.messages)).toHaveLength(3)
})

test('input that arrives while the model gives its last answer is not lost: it is asked again', async () => {
  const store = memoryStore()
  let state: RunState | undefined
  const { agent, model } = scripted([
    async () => {
      state = await RunState.load(agent, { threadId: 't', store })
      await state.addInput('one more thing')
      return 'Done.'
    },
    'Done, both.',
  ])
  const result = await run(agent, 'go', { store, threadId: 't' })
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done, both.' })
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['go', 'Done.', 'one more thing'])
})

test('input cannot be added to a run that is over, and trying does not harm the thread', async () => {
  const store = memoryStore()
  const { agent } = scripted(['Done.', 'Again.', 'Third.'])
  const { state } = await run(agent, 'go', { store, threadId: 't' })
  await refused(state.addInput('late'), InputInvalid, 'input_invalid')
  const next = await run(agent, 'next', { store, threadId: 't' })
  expect(next.finalOutput).toBe('Again.')
  // The first state still means the first run.
  await refused(state.addInput('late'), InputInvalid, 'input_invalid')
  expect((await run(agent, 'third', { store, threadId: 't' })).finalOutput).toBe('Third.')
})

test('input for a run that ends at that moment starts a new run instead of being lost', async () => {
  const inner = memoryStore()
  const { agent, model } = scripted([new Error('down'), 'First.', 'Second.'])
  await run(agent, 'go', { store: inner, threadId: 't' })
  let raced = false
  const store = intercept(inner, async (append) => {
    if (raced || !brings(append, 'input.added')) return
    raced = true
    // Somebody else drives the open run to its end between our reading and our writing.
    expect((await run(agent, await RunState.load(agent, { threadId: 't', store: inner }))).finalOutput).toBe('First.')
  })
  const result = await run(agent, 'second', { store, threadId: 't' })
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Second.' })
  expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['go', 'First.', 'second'])
})

test('requests that are opened between reading and writing still refuse new input', async () => {
  const inner = memoryStore()
  const { agent } = scripted([new Error('down'), calls(['a', 'pay'])], [gated('pay')])
  await run(agent, 'go', { store: inner, threadId: 't' })
  let raced = false
  const store = intercept(inner, async (append) => {
    if (raced || !brings(append, 'input.added')) return
    raced = true
    only(await run(agent, await RunState.load(agent, { threadId: 't', store: inner })))
  })
  await refused(run(agent, 'second', { store, threadId: 't' }), ThreadPaused, 'thread_paused')
  expect(await typesOf(inner, 't')).not.toContain('input.added')
})

test('new input on a run that failed is read together with what came before', async () => {
  const store = memoryStore()
  const { agent, model } = scripted([new Error('down'), 'Done.'])
  expect((await run(agent, 'go', { store, threadId: 't' })).status).toBe('failed')
  const result = await run(agent, 'still there?', { store, threadId: 't' })
  expect(result.finalOutput).toBe('Done.')
  expect(model.requests[1]?.messages).toEqual([
    { role: 'user', content: 'go' },
    { role: 'user', content: 'still there?' },
  ])
})

test('new input by another agent on an open run is refused', async () => {
  const { store } = await waiting()
  const { agent: other } = scripted([], [], { name: 'other' })
  await refused(run(other, 'hi', { store, threadId: 't', whilePaused: 'queue' }), AgentMismatch, 'agent_mismatch')
})

test('input may be strings, messages and parts, and is stored as given', async () => {
  const { agent, model } = scripted(['ok', 'ok'])
  await run(agent, { role: 'system', content: 'be brief' })
  const parts: Part[] = [
    { type: 'text', text: 'see' },
    { type: 'json', value: { a: [1, null] } },
    { type: 'file', mediaType: 'image/png', data: 'aGk=' },
  ]
  await run(agent, [{ role: 'user', content: parts }])
  expect(model.requests.map(({ messages }) => messages)).toEqual([
    [{ role: 'system', content: 'be brief' }],
    [{ role: 'user', content: parts }],
  ])
})
