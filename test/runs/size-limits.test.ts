import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, EditInvalid, memoryStore, openDesk, RunState, run } from '../../src/index.ts'
import { InputInvalid, LimitExceeded, type StoreLimits } from '../../src/ports.ts'
import type { AgentLimits } from '../../src/protocol/checks/limits.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

const ann = { kind: 'person', id: 'ann' } as const
const anything = z.looseObject({})

test('an answer with more calls than the limit is refused whole: nothing runs, nothing is stored, and it can be asked again', async () => {
  const look = free('look')
  const model = scriptedModel([
    calls(['a', 'look'], ['b', 'look'], ['c', 'look']),
    calls(['a', 'look'], ['b', 'look']),
    'Done.',
  ])
  const agent = new Agent({ name: 'clerk', model, tools: [look], limits: { callsPerAnswer: 2 } })
  const store = memoryStore()
  const result = await run(agent, 'go', { store, threadId: 't' })
  expect(failedWith(result, LimitExceeded, 'limit_exceeded')).toMatchObject({
    what: 'callsPerAnswer',
    limit: 2,
    found: 3,
  })
  expect(look.runs).toEqual([])
  expect(JSON.stringify((await store.read('t')).entries)).not.toContain('call.judged')
  expect((await run(agent, result.state)).status).toBe('completed')
  expect(look.runs).toHaveLength(2)
})

test('a stream of calls that does not end is left at the limit', async () => {
  let told = 0
  const model = {
    async *respond() {
      for (;;) yield { type: 'tool-call' as const, call: { id: `c${told++}`, name: 'look', args: {} } }
    },
  }
  const look = free('look')
  const agent = new Agent({ name: 'clerk', model, tools: [look], limits: { callsPerAnswer: 5 } })
  failedWith(await run(agent, 'go'), LimitExceeded, 'limit_exceeded')
  expect([told, look.runs]).toEqual([6, []])
})

test('10,000 calls in one answer are admitted unless told otherwise', () => {
  expect(new Agent({ name: 'clerk', model: scriptedModel([]) }).limits.callsPerAnswer).toBe(10_000)
})

test.each(['args', 'argsText'] as const)(
  'a call whose %s are too long does not run, the model is told, and its siblings run',
  async (form) => {
    const write = free('write', { parameters: anything })
    const long = { text: 'é'.repeat(600) }
    const sent = form === 'args' ? { args: long } : { argsText: JSON.stringify(long) }
    const model = scriptedModel([
      {
        toolCalls: [
          { id: 'a', name: 'write', ...sent },
          { id: 'b', name: 'write', args: {} },
        ],
      } as never,
      'Done.',
    ])
    const agent = new Agent({ name: 'clerk', model, tools: [write], limits: { argsBytes: 1000 } })
    expect((await run(agent, 'go')).status).toBe('completed')
    expect(write.runs.map(({ args }) => args)).toEqual([{}])
    const told = JSON.stringify(model.requests[1]?.messages)
    expect(told).toContain('the arguments have 1211 bytes, and 1000 are allowed')
    expect(told).not.toContain(long.text.repeat(2))
  },
)

test('a result that is too long becomes one that says so; the call stays finished, and does not run again', async () => {
  const read = free('read', { execute: () => 'x'.repeat(2000) })
  const model = scriptedModel([calls(['a', 'read']), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [read], limits: { resultBytes: 1000 } })
  const store = memoryStore()
  const result = await run(agent, 'go', { store, threadId: 't' })
  expect(result.status).toBe('completed')
  expect(read.runs).toHaveLength(1)
  const told = model.requests[1]?.messages.at(-1)
  expect(told).toMatchObject({ role: 'tool', isError: true })
  expect(JSON.stringify(told)).toContain('The tool ran, but its result has 2014 bytes, and 1000 are allowed')
  expect(JSON.stringify((await store.read('t')).entries)).toContain('call.finished')
})

test('a result that the store would refuse becomes one that says so, and the call stays finished', async () => {
  const read = free('read', { execute: () => 'x'.repeat(70_000) })
  const model = scriptedModel([calls(['a', 'read']), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [read] })
  const store = memoryStore({ limits: { entryBytes: 65_536 } })
  const result = await run(agent, 'go', { store, threadId: 't' })
  expect(result.status).toBe('completed')
  expect(read.runs).toHaveLength(1)
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('The tool ran, but its result has')
})

test('the answer of a nested agent that is too long becomes a result that says so', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel(['x'.repeat(2000)]) })
  const model = scriptedModel([calls(['a', 'inner', { input: 'go' }]), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [inner.asTool()], limits: { resultBytes: 1000 } })
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('and 1000 are allowed')
})

async function held() {
  const pay = gated('pay', { parameters: anything })
  const model = scriptedModel([calls(['a', 'pay']), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [pay], limits: { argsBytes: 1000 } })
  const store = memoryStore({ limits: { entryBytes: 65_536 } })
  const { state, interruptions } = await run(agent, 'go', { store, threadId: 't' })
  return { agent, store, pay, state, request: interruptions[0]! }
}

test('an edit that is too long is refused, and the request stays', async () => {
  const { agent, store, pay, state, request } = await held()
  const args = { text: 'x'.repeat(2000) }
  await refused(state.edit(request, { args }), EditInvalid, 'edit_invalid')
  // A desk does not know the limits of the agent: the run finds out before it releases anything.
  await openDesk({ store }).decide({ request: request.id, decision: { type: 'edit', args }, by: ann })
  const again = only(await run(agent, await RunState.load(agent, { store, threadId: 't' })))
  expect(again).toMatchObject({ id: request.id, problems: [expect.stringContaining('and 1000 are allowed')] })
  expect(pay.runs).toEqual([])
})

test('a decision that is too long for the store is refused, and the request stays', async () => {
  const { store, request } = await held()
  const decision = { type: 'respond', message: 'x'.repeat(70_000) }
  await refused(openDesk({ store }).decide({ request: request.id, decision, by: ann }), LimitExceeded, 'limit_exceeded')
  expect((await openDesk({ store }).get(request.id)).status).toBe('open')
})

test('input that is too long for the store is refused, and there is no thread', async () => {
  const agent = new Agent({ name: 'clerk', model: scriptedModel([]) })
  const store = memoryStore({ limits: { entryBytes: 65_536 } })
  await refused(run(agent, 'x'.repeat(70_000), { store, threadId: 't' }), LimitExceeded, 'limit_exceeded')
  expect((await store.read('t')).version).toBe(0)
})

test.each<[AgentLimits]>([
  [{ callsPerAnswers: 5 } as never],
  [{ callsPerAnswer: 0 }],
  [{ argsBytes: 1.5 }],
  [{ resultBytes: '5' as never }],
  [[] as never],
])('limits of an agent that make no sense are refused: %j', (limits) => {
  expect(() => new Agent({ name: 'clerk', model: scriptedModel([]), limits })).toThrow(InputInvalid)
})

test.each<[StoreLimits]>([[{ entryByte: 1 } as never], [{ entryBytes: 65_535 }], [{ entryBytes: null as never }]])(
  'limits of a store that make no sense are refused: %j',
  (limits) => {
    expect(() => memoryStore({ limits })).toThrow(InputInvalid)
  },
)

test('null lifts the limit', () => {
  const { limits } = new Agent({ name: 'clerk', model: scriptedModel([]), limits: { callsPerAnswer: null } })
  expect(limits).toMatchObject({ callsPerAnswer: Number.POSITIVE_INFINITY, argsBytes: 1_048_576 })
})
