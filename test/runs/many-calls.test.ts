import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, openDesk, RunState, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'

const by = { kind: 'person', id: 'ann' } as const

/** Milliseconds of processor time: other processes do not count. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function manyCalls(count: number) {
  let ran = 0
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ i: z.number() }),
    needsApproval: true,
    execute: () => {
      ran += 1
      return 'paid'
    },
  })
  const toolCalls = Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: 'pay', args: { i } }))
  const agent = new Agent({ name: 'clerk', model: scriptedModel([{ toolCalls }, 'Done.']), tools: [pay] })
  return { agent, store: memoryStore(), ran: () => ran }
}

/** All of one answer held, decided in one batch, and run: what each of the three takes. */
async function inOneBatch(count: number): Promise<number[]> {
  const { agent, store, ran } = manyCalls(count)
  let result = {} as Awaited<ReturnType<typeof run>>
  const times = [
    await processorTime(async () => {
      result = await run(agent, 'go', { store, threadId: 't' })
    }),
    await processorTime(() =>
      result.state.decide({ decisions: result.interruptions.map(() => ({ type: 'approve' })), by }),
    ),
    await processorTime(async () => {
      result = await run(agent, result.state)
    }),
  ]
  expect([result.status, ran()]).toEqual(['completed', count])
  return times
}

/** All of one answer edited at a desk, one by one, and run by who has the agent. */
async function editedOneByOne(count: number): Promise<void> {
  const { agent, store, ran } = manyCalls(count)
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const desk = openDesk({ store })
  for (const { id } of interruptions) await desk.decide({ request: id, decision: { type: 'edit', args: { i: 0 } }, by })
  const state = await RunState.load(agent, { store, threadId: 't' })
  expect((await run(agent, state)).status).toBe('completed')
  expect(ran()).toBe(count)
}

test('10,000 held calls of one answer cost about ten times as much as 1,000', async () => {
  await inOneBatch(500)
  const few = await inOneBatch(1_000)
  const many = await inOneBatch(10_000)
  for (const [i, time] of many.entries()) expect(time / few[i]!).toBeLessThan(20)
  expect(many.reduce((a, b) => a + b)).toBeLessThan(20_000)
})

test('4,000 edits at a desk cost about ten times as much as 400', async () => {
  await editedOneByOne(200)
  const few = await processorTime(() => editedOneByOne(400))
  const many = await processorTime(() => editedOneByOne(4_000))
  expect(many / few).toBeLessThan(20)
})
