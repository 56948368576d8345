import { expect, test } from 'vitest'
import { Agent, memoryStore, RunState, run, tool } from '../../src/index.ts'
import { StoreClosed } from '../../src/ports.ts'
import { AgentInvalid, ThreadIdInvalid, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

test('thread ids are taken as they are or refused: none is rewritten', async () => {
  const store = memoryStore()
  const good = ['a', 'order/42', 'a.b_c:d@e/f+g=h~i-j', '..', '/', '0', 'x'.repeat(200), '__proto__', 'constructor']
  const { agent } = scripted(good.map(() => 'ok'))
  for (const threadId of good) expect((await run(agent, 'go', { store, threadId })).threadId).toBe(threadId)
  for (const threadId of good) expect((await RunState.load(agent, { store, threadId })).threadId).toBe(threadId)
  const bad = ['', ' ', 'a b', 'a\n', 'ä', '😀', 'x'.repeat(201), 'a%b', 'a\\b', 7, null, {}]
  for (const threadId of bad) {
    if (threadId !== null)
      await refused(run(agent, 'go', { store, threadId: threadId as string }), ThreadIdInvalid, 'thread_id_invalid')
    await refused(RunState.load(agent, { store, threadId: threadId as string }), ThreadIdInvalid, 'thread_id_invalid')
  }
})

test('a run without a thread id gets one of its own', async () => {
  const { agent } = scripted(['a', 'b'])
  const [one, two] = [await run(agent, 'go'), await run(agent, 'go')]
  expect(one.threadId).not.toBe(two.threadId)
})

test('a finished state returns its result again, without asking the model', async () => {
  const { agent, model } = scripted([calls(['a', 'look']), 'Done.'], [free('look')])
  const done = await run(agent, 'go')
  const again = await run(agent, done.state)
  expect(again).toMatchObject({
    status: 'completed',
    finalOutput: 'Done.',
    usage: done.usage,
    runId: done.runId,
    interruptions: [],
  })
  expect(model.requests).toHaveLength(2)
})

test('a new run on a finished thread goes on with the conversation', async () => {
  const store = memoryStore()
  const { agent, model } = scripted(['Hello.', calls(['a', 'look']), 'Bye.'], [free('look')])
  const first = await run(agent, 'hi', { store, threadId: 't' })
  const second = await run(agent, 'and now?', { store, threadId: 't', context: { turn: 2 } })
  expect(second.runId).not.toBe(first.runId)
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['hi', 'Hello.', 'and now?'])
  expect(second.state.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'assistant',
  ])
  expect((await entriesOf(store, 't')).filter(({ type }) => type === 'run.opened')).toHaveLength(2)
})

test('calls of later runs have keys of their own, even with the same ids and arguments', async () => {
  const store = memoryStore()
  const pay = free('pay')
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), 'one', calls(['a', 'pay', { n: 1 }]), 'two'], [pay])
  await run(agent, 'go', { store, threadId: 't' })
  await run(agent, 'go', { store, threadId: 't' })
  const keys = pay.runs.map(({ ctx }) => ctx.idempotencyKey)
  expect(new Set(keys).size).toBe(2)
  expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).toBe(true)
})

test('another agent may go on with a thread once the run is over', async () => {
  const store = memoryStore()
  await run(scripted(['one']).agent, 'go', { store, threadId: 't' })
  const { agent: other, model } = scripted(['two'], [], { name: 'other' })
  expect((await run(other, 'more', { store, threadId: 't' })).finalOutput).toBe('two')
  expect(model.requests[0]?.messages).toHaveLength(3)
})

test('many threads of one store do not touch one another', async () => {
  const store = memoryStore()
  const pay = gated('pay')
  const { agent } = scripted([...Array(20)].map(() => calls(['a', 'pay'])).concat([...Array(20)].map(() => 'Done.')), [
    pay,
  ])
  const paused = await Promise.all([...Array(20)].map((_, i) => run(agent, 'go', { store, threadId: `t${i}` })))
  await Promise.all(paused.map((result) => result.state.approve(only(result))))
  const done = await Promise.all(paused.map(({ state }) => run(agent, state)))
  expect(done.map(({ status }) => status)).toEqual(Array(20).fill('completed'))
  expect(new Set(pay.runs.map(({ ctx }) => ctx.threadId)).size).toBe(20)
})

test('a closed store is an error, not an empty one', async () => {
  const store = memoryStore()
  await store.close()
  await refused(run(scripted(['x']).agent, 'go', { store }), StoreClosed, 'store_closed')
})

test('invalid agents and tools are refused when they are built', () => {
  const model = scripted([]).model
  const build = (options: object) => () => new Agent({ name: 'x', model, ...options } as never)
  for (const wrong of [
    { name: '' },
    { id: '' },
    { model: {} },
    { tool: [] },
    { tools: [{}] },
    { tools: [free('a'), free('a')] },
  ]) {
    expect(build(wrong)).toThrow(AgentInvalid)
    expect(build(wrong)).toThrow(expect.objectContaining({ code: 'agent_invalid', name: 'AgentInvalid' }))
  }
  const { parameters } = free('x')
  const define = (options: object) => () =>
    tool({ name: 'x', description: '', parameters, execute: () => 1, ...options } as never)
  expect(define({})).not.toThrow()
  const bad: object[] = [
    { name: '' },
    { name: 'a b' },
    { name: 'x'.repeat(129) },
    { description: undefined },
    { parameters: {} },
    { execute: undefined },
    { needsApprovel: true },
    { needsApproval: 'yes' },
    { idempotent: 1 },
    { onUnknownOutcome: 'ignore' },
    { timeoutSeconds: 0 },
    { timeoutSeconds: Number.POSITIVE_INFINITY },
    { parametersJsonSchema: { type: 'string' } },
    { parametersJsonSchema: [] },
  ]
  for (const wrong of bad) expect([wrong, code(define(wrong))]).toEqual([wrong, 'tool_invalid'])
  expect(define({ name: '' })).toThrow(ToolInvalid)
})

function code(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return (error as { code?: unknown }).code
  }
  return undefined
}
