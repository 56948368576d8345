import { expect, test } from 'vitest'
import { memoryStore, RunState, run, ThreadBusy } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { MaxTurnsExceeded } from '../../src/protocol/errors/errors.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { typesOf } from '../support/stores/entries.ts'
import { brings, intercept } from '../support/stores/wrapped-stores.ts'
import { until } from '../support/until.ts'

test('usage adds up across pauses, processes and texts', async () => {
  const step = (id: string, inputTokens: number) => ({
    toolCalls: [{ id, name: 'pay', args: {} }],
    usage: { inputTokens, outputTokens: 1 },
  })
  const { agent } = scripted(
    [step('a', 10), step('b', 20), { text: 'Done.', usage: { totalTokens: 7 } }],
    [gated('pay')],
  )
  const paused = await run(agent, 'go')
  expect(paused.usage).toEqual({ requests: 1, inputTokens: 10, outputTokens: 1, totalTokens: 11 })
  await paused.state.approve('a')
  const second = await run(agent, await RunState.fromString(agent, paused.state.toString()))
  expect(second.usage).toEqual({ requests: 2, inputTokens: 30, outputTokens: 2, totalTokens: 32 })
  await second.state.approve('b')
  const result = await run(agent, second.state)
  expect(result.usage).toEqual({ requests: 3, inputTokens: 30, outputTokens: 2, totalTokens: 39 })
  result.usage.requests = 99
  expect(result.state.usage.requests).toBe(3)
})

test('the limit of model calls survives pauses and is counted across them', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { maxTurns: 2 })
  await paused.state.approve('a', { always: true })
  const text = paused.state.toString()
  const limited = await run(agent, await RunState.fromString(agent, text))
  expect(failedWith(limited, MaxTurnsExceeded, 'max_turns_exceeded').maxTurns).toBe(2)
  expect(pay.runs).toHaveLength(2)
  expect(model.requests).toHaveLength(2)
  const again = await run(agent, limited.state)
  failedWith(again, MaxTurnsExceeded, 'max_turns_exceeded')
  const result = await run(agent, again.state, { maxTurns: 3 })
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(pay.runs).toHaveLength(2)
})

test('null lifts the limit, on the first run and on resume', async () => {
  const endless = (id: string) => calls([id, 'look'])
  const script = [...Array.from({ length: 30 }, (_, i) => endless(String(i))), 'Done.']
  expect((await run(scripted(script, [free('look')]).agent, 'go')).error).toMatchObject({
    code: 'max_turns_exceeded',
    maxTurns: 25,
  })
  expect((await run(scripted(script, [free('look')]).agent, 'go', { maxTurns: null })).status).toBe('completed')
  const { agent } = scripted(script, [free('look')])
  const limited = await run(agent, 'go', { maxTurns: 1 })
  expect((await run(agent, limited.state, { maxTurns: null })).status).toBe('completed')
})

test('each run of a thread counts its own turns and usage', async () => {
  const store = memoryStore()
  const { agent } = scripted(['one', 'two'])
  for (const finalOutput of ['one', 'two']) {
    const result = await run(agent, 'go', { store, threadId: 't', maxTurns: 1 })
    expect(result).toMatchObject({ status: 'completed', finalOutput, usage: { requests: 1 } })
  }
})

test('options that make no sense are refused before anything is stored', async () => {
  const store = memoryStore()
  const { agent } = scripted([])
  for (const options of [
    { maxTurns: 0 },
    { maxTurns: 1.5 },
    { maxTurns: '3' },
    { maxturns: 3 },
    { whilePaused: 'drop' },
    { toolExecution: { start: 'now' } },
  ]) {
    await refused(run(agent, 'go', { store, threadId: 't', ...options } as never), InputInvalid, 'input_invalid')
  }
  for (const input of [
    [],
    [{ role: 'tool', content: 'x' }],
    [{ role: 'user' }],
    { role: 'user', content: '\ud800' },
    5,
    null,
  ]) {
    await refused(run(agent, input as never, { store, threadId: 't' }), InputInvalid, 'input_invalid')
  }
  expect(await typesOf(store, 't')).toEqual([])
})

test('an abort before the start spends nothing: the approval is still there and resuming goes on', async () => {
  const store = memoryStore()
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await paused.state.approve('a')
  const before = await typesOf(store, 't')
  const stopped = await run(agent, paused.state, { signal: AbortSignal.abort() })
  expect(stopped).toMatchObject({ status: 'incomplete', error: undefined })
  expect(pay.runs).toEqual([])
  expect(await typesOf(store, 't')).toEqual(before)
  expect((await run(agent, stopped.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
})

test('a run that is aborted before it starts keeps its input and goes on when resumed', async () => {
  const { agent, model } = scripted(['Done.'])
  const stopped = await run(agent, 'go', { signal: AbortSignal.abort() })
  expect(stopped.status).toBe('incomplete')
  expect(model.requests).toHaveLength(0)
  expect((await run(agent, stopped.state)).finalOutput).toBe('Done.')
})

test('an abort during a model call stores nothing of the turn; resuming asks again', async () => {
  const abort = new AbortController()
  const forever = new Promise<never>(() => undefined)
  const stuck = () => {
    abort.abort()
    return forever
  }
  const { agent, model } = scripted([stuck, 'Done.'])
  const stopped = await run(agent, 'go', { signal: abort.signal })
  expect(stopped).toMatchObject({ status: 'incomplete', usage: { requests: 0 } })
  expect((await run(agent, stopped.state)).finalOutput).toBe('Done.')
  expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages)
})

test('the signal reaches the model', async () => {
  const abort = new AbortController()
  let seen: AbortSignal | undefined
  const model = {
    respond: async (request: { signal: AbortSignal }) => {
      seen = request.signal
      return { content: 'x' }
    },
  }
  await run(scripted([], [], { model }).agent, 'go', { signal: abort.signal })
  expect(seen?.aborted).toBe(false)
  abort.abort()
  expect(seen?.aborted).toBe(true)
})

test('a tool that ends in spite of an abort is recorded and not run again', async () => {
  const abort = new AbortController()
  const pay = free('pay', {
    execute: async () => {
      abort.abort()
      await new Promise((resolve) => setTimeout(resolve, 10))
      return 'paid'
    },
  })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const stopped = await run(agent, 'go', { signal: abort.signal })
  expect(stopped.status).toBe('incomplete')
  expect((await run(agent, stopped.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
  expect(pay.runs[0]?.ctx.signal.aborted).toBe(true)
})

test('an interrupted tool has an unknown outcome: a person is asked, and it is not run again by itself', async () => {
  const abort = new AbortController()
  const pay = free('pay', {
    execute: async (_args: unknown, ctx) => {
      abort.abort()
      ctx.signal.throwIfAborted()
    },
  })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const stopped = await run(agent, 'go', { signal: abort.signal })
  expect(stopped.status).toBe('incomplete')
  const asked = await run(agent, stopped.state)
  expect(only(asked)).toMatchObject({ reason: 'unknown_outcome', allowedDecisions: ['approve', 'respond', 'reject'] })
  expect(pay.runs).toHaveLength(1)
})

test('a body that outlives the abort keeps the thread busy and still reports what it did', async () => {
  const store = memoryStore()
  const abort = new AbortController()
  const end = latch()
  const pay = free('pay', {
    execute: async () => {
      abort.abort()
      await end.passed
      return 'paid'
    },
  })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const stopped = await run(agent, 'go', { store, threadId: 't', signal: abort.signal })
  expect(stopped.status).toBe('incomplete')
  const busy = await refused(
    run(agent, await RunState.load(agent, { threadId: 't', store })),
    ThreadBusy,
    'thread_busy',
  )
  expect(busy.threadId).toBe('t')
  end.open()
  await until(() => stopped.state.messages.some(({ role }) => role === 'tool'))
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
})

test('one state that is run twice at once runs its tool once', async () => {
  const pay = gated('pay', { execute: () => new Promise((resolve) => setTimeout(resolve, 20)) })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve('a')
  const [one, two] = await Promise.allSettled([run(agent, paused.state), run(agent, paused.state)])
  expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected'])
  expect([one, two].find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'thread_busy', name: 'ThreadBusy' },
  })
  expect(pay.runs).toHaveLength(1)
})

test('new input for a thread that is being driven is refused before anything is stored', async () => {
  const store = memoryStore()
  const [begun, end] = [latch(), latch()]
  const execute = () => {
    begun.open()
    return end.passed
  }
  const { agent } = scripted([calls(['a', 'look']), 'Done.'], [free('look', { execute })])
  const first = run(agent, 'go', { store, threadId: 't' })
  await begun.passed
  const before = await typesOf(store, 't')
  await refused(run(agent, 'more', { store, threadId: 't' }), ThreadBusy, 'thread_busy')
  expect(await typesOf(store, 't')).toEqual(before)
  end.open()
  expect((await first).status).toBe('completed')
})

test('a lease is not held while only people are waited for', async () => {
  const store = memoryStore()
  const { agent } = scripted([calls(['a', 'pay'], ['b', 'look'])], [gated('pay'), free('look')])
  await run(agent, 'go', { store, threadId: 't' })
  expect((await store.read('t')).lease).toBeNull()
})

test('an approve cycle is six appends', async () => {
  const appends: string[][] = []
  const store = intercept(memoryStore(), (append) => {
    if (append.entries.length > 0)
      appends.push(append.entries.map((body) => (JSON.parse(body) as { type: string }).type))
    expect(brings(append, 'run.settled') ? append.lease : { thenDrop: true }).toMatchObject({ thenDrop: true })
  })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go', { store })
  await paused.state.approve('a')
  await run(agent, paused.state)
  expect(appends).toEqual([
    ['run.opened'],
    ['model.answered', 'tool.defined', 'call.judged', 'request.opened'],
    ['request.decided', 'call.released'],
    ['call.started'],
    ['call.finished'],
    ['model.answered', 'run.settled'],
  ])
})
