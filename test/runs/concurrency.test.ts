import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, Runner, RunState, run, type Store, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

/** A tool whose bodies tell how many of them run at once. */
function counted(options: object = {}) {
  const seen = { now: 0, most: 0, ran: [] as number[] }
  const work = tool({
    name: 'work',
    description: '',
    parameters: z.object({ n: z.number() }),
    execute: async ({ n }) => {
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      seen.now -= 1
      seen.ran.push(n)
      return `did ${n}`
    },
    ...options,
  })
  return { seen, work }
}

const seven = calls(...[0, 1, 2, 3, 4, 5, 6].map((n): [string, string, { n: number }] => [`c${n}`, 'work', { n }]))

test('no more bodies run at the same time than the run allows, and each runs once', async () => {
  for (const [cap, most] of [
    [1, 1],
    [3, 3],
    [null, 7],
    [undefined, 7],
  ] as const) {
    const { seen, work } = counted()
    const { agent } = scripted([seven, 'Done.'], [work])
    const toolExecution = cap === undefined ? {} : { maxFunctionToolConcurrency: cap }
    expect(await run(agent, 'go', { toolExecution })).toMatchObject({ status: 'completed' })
    expect(seen.most).toBe(most)
    expect([...seen.ran].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  }
})

test('the limit is part of the run: approved calls keep to it after a restart elsewhere', async () => {
  const store = memoryStore()
  const { seen, work } = counted({ needsApproval: true })
  const first = scripted([seven], [work])
  const runner = new Runner({ toolExecution: { maxFunctionToolConcurrency: 2 } })
  const paused = await runner.run(first.agent, 'go', { store, threadId: 't' })
  await paused.state.decide({ decisions: paused.interruptions.map(() => ({ type: 'approve' as const })) })
  const { agent } = scripted(['Done.'], [work])
  const state = await RunState.load(agent, { store, threadId: 't' })
  const other = { toolExecution: { maxFunctionToolConcurrency: null } }
  await expect(run(agent, state, other)).rejects.toThrow('keeps the toolExecution')
  expect(await run(agent, state)).toMatchObject({ status: 'completed' })
  expect(seen.most).toBe(2)
  expect(seen.ran).toHaveLength(7)
})

test('a call that waits for a free place was not started: stopping the run leaves no unknown outcome', async () => {
  const store = memoryStore()
  const stop = new AbortController()
  const ran: number[] = []
  const work = tool({
    name: 'work',
    description: '',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => {
      ran.push(n)
      if (n === 0) stop.abort()
      return 'did it'
    },
  })
  const toolExecution = { maxFunctionToolConcurrency: 1 }
  const first = scripted([seven], [work])
  const left = await run(first.agent, 'go', { store, threadId: 't', toolExecution, signal: stop.signal })
  expect(left.status).toBe('incomplete')
  expect(ran).toEqual([0])
  const { agent } = scripted(['Done.'], [work])
  expect(await run(agent, await RunState.load(agent, { store, threadId: 't' }))).toMatchObject({ status: 'completed' })
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('the calls of nested agents count, and the agents do not', async () => {
  const { seen, work } = counted()
  const helpers = ['one', 'two'].map(
    (name) => new Agent({ name, model: scriptedModel([seven, 'Done.']), tools: [work] }),
  )
  const { agent } = scripted(
    [calls(['a', 'one', { input: '' }], ['b', 'two', { input: '' }], ['c', 'work', { n: 9 }]), 'Done.'],
    [...helpers.map((helper) => helper.asTool()), work],
  )
  const done = await run(agent, 'go', { toolExecution: { maxFunctionToolConcurrency: 2 } })
  expect(done).toMatchObject({ status: 'completed' })
  expect(seen.most).toBeLessThanOrEqual(2)
  expect(seen.ran).toHaveLength(15)
})

test('a body that waits for a person leaves its place to others', async () => {
  const asks = tool({
    name: 'asks',
    description: '',
    parameters: z.object({}),
    resumable: true,
    execute: async (_args, ctx) => ((await ctx.confirm('Go?')) ? 'went' : 'stayed'),
  })
  const { seen, work } = counted()
  const store: Store = memoryStore()
  const { agent } = scripted([calls(['a', 'asks'], ['b', 'work', { n: 1 }]), 'Done.'], [asks, work])
  const paused = await run(agent, 'go', { store, threadId: 't', toolExecution: { maxFunctionToolConcurrency: 1 } })
  expect(paused.status).toBe('interrupted')
  expect(seen.ran).toEqual([1])
  await paused.state.answer(paused.interruptions[0]!, true)
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed' })
})

test('a limit that is no positive integer is refused', async () => {
  const { agent } = scripted([], [])
  for (const maxFunctionToolConcurrency of [0, -1, 1.5, '2' as never])
    await expect(run(agent, 'go', { toolExecution: { maxFunctionToolConcurrency } })).rejects.toMatchObject({
      code: 'input_invalid',
    })
})
