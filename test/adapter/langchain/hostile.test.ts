import { tool } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type JsonObject, memoryStore, openDesk } from '../../../src/index.ts'
import { asked, calling, chat, gated, refundDesk, refunding, results, resume, wake } from './desk.ts'

const approve = { type: 'approve' }
const start = { messages: [{ role: 'user', content: 'Pay back.' }] }

test.each([
  ['half of a character', '{"order":"\\ud800"}', /lone surrogate/],
  ['more than a megabyte', JSON.stringify({ data: 'x'.repeat(1_100_000) }), /1048576 are allowed/],
])('a call whose arguments have %s is refused, and the others go on', async (_what, text, problem) => {
  const wrong = calling('c1', 'refund', JSON.parse(text) as JsonObject)
  const { agent, ran } = refundDesk([wrong, refunding('c2', 'A-2', 2)])
  const store = memoryStore()
  const paused = await agent(gated(store)).invoke(start, chat)
  expect(asked(paused)[0]?.actions).toMatchObject([{ args: { order: 'A-2' } }])
  const [first, second] = results(await agent(gated(store)).invoke(resume(approve), chat))
  expect([first, second?.content, ran]).toEqual([
    { id: 'c1', status: 'error', content: expect.stringMatching(problem) },
    '2 cents paid back for A-2',
    ['A-2 2'],
  ])
})

test('arguments that name prototypes pollute nothing, and do not run if LangGraph lost them', async () => {
  const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as JsonObject
  const { agent, ran } = refundDesk([{ id: 'c1', name: 'refund', args, type: 'tool_call' as const }])
  const store = memoryStore()
  await agent(gated(store)).invoke(start, chat)
  const [result] = results(await agent(gated(store)).invoke(resume(approve), chat))
  expect([({} as { polluted?: true }).polluted, result?.status, ran]).toEqual([undefined, 'error', []])
})

test('names of tools that do not exist, or of built-in properties, reach nothing', async () => {
  for (const name of ['', 'nope', 'constructor', '__proto__', 'toString']) {
    const { agent, ran } = refundDesk([calling('c1', name, { order: 'A-1' })])
    const [result] = results(await agent(gated(memoryStore())).invoke(start, chat))
    expect([name, result?.status, ran]).toEqual([name, 'error', []])
  }
})

test('decisions with and without ids in one answer, or two for one request, decide nothing', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1), refunding('c2', 'A-2', 2)])
  const store = memoryStore()
  const paused = await agent(gated(store)).invoke(start, chat)
  const [, second] = asked(paused)[0]?.actions.map(({ id }) => id) ?? []
  for (const [answers, problem] of [
    [[{ ...approve, id: second }, { type: 'reject' }], /Only some decisions have an id/],
    [
      [
        { ...approve, id: second },
        { type: 'reject', id: second },
      ],
      /about the same request/,
    ],
    [[{ ...approve, id: 7 }], /was not asked about/],
  ] as const) {
    const again = await agent(gated(store)).invoke(resume(...answers), chat)
    expect(asked(again)[0]?.problems?.[0]).toMatch(problem)
  }
  expect([(await openDesk({ store }).list({ status: 'open' })).requests.length, ran]).toEqual([2, []])
})

test('equal ids in one message are told apart by their arguments', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1), refunding('c1', 'A-2', 2)])
  const store = memoryStore()
  await agent(gated(store)).invoke(start, chat)
  const ended = await agent(gated(store)).invoke(resume(approve, { type: 'reject', message: 'No.' }), chat)
  expect([results(ended).map(({ content }) => content), ran]).toEqual([['1 cents paid back for A-1', 'No.'], ['A-1 1']])
})

test('a tool that throws is told to the model, as without the middleware, and is not run again', async () => {
  const { agent } = refundDesk([calling('c1', 'pay', {})])
  const store = memoryStore()
  let runs = 0
  const pay = tool(
    async () => {
      runs += 1
      throw new Error('The bank is closed.')
    },
    { name: 'pay', description: 'Pays.', schema: z.object({}) },
  )
  const paying = () => agent(gated(store, { interruptOn: { pay: true } }), [pay])
  await paying().invoke(start, chat)
  const { config } = await paying().graph.getState(chat)
  for (let time = 0; time < 2; time++) {
    const ended = await paying().invoke(resume(approve), config as never)
    expect(results(ended)).toEqual([{ id: 'c1', status: 'error', content: 'The tool failed: The bank is closed.' }])
    expect(ended.messages.at(-1)?.content).toBe('Done.')
  }
  expect(runs).toBe(1)
})

test('a run that is cancelled while a tool runs leaves an unknown outcome, not a failure', async () => {
  const { agent } = refundDesk([calling('c1', 'pay', {})])
  const store = memoryStore()
  const cancelled = new AbortController()
  let runs = 0
  const pay = tool(
    async () => {
      runs += 1
      cancelled.abort()
      await new Promise(() => undefined)
      return 'paid'
    },
    { name: 'pay', description: 'Pays.', schema: z.object({}) },
  )
  const paying = () => agent(gated(store, { interruptOn: { pay: true } }), [pay])
  await paying().invoke(start, chat)
  await expect(paying().invoke(resume(approve), { ...chat, signal: cancelled.signal })).rejects.toThrow(/abort/i)
  const desk = openDesk({ store })
  const openReasons = async () => (await desk.list({ status: 'open' })).requests.map(({ reason }) => reason)
  await expect.poll(openReasons, { timeout: 60_000 }).toEqual(['unknown_outcome'])
  const again = await paying().invoke(wake(), chat)
  expect([asked(again)[0]?.actions.length, runs]).toEqual([1, 1])
  const ended = await paying().invoke(resume({ type: 'respond', message: 'It was paid.' }), chat)
  expect([results(ended).map(({ content }) => content), runs]).toEqual([['It was paid.'], 1])
})

test('streamed runs are held and resumed like others', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1)])
  const store = memoryStore()
  const stream = async (input: never) => {
    const parts: object[] = []
    for await (const part of await agent(gated(store)).stream(input, { ...chat, streamMode: 'updates' }))
      parts.push(part as object)
    return parts
  }
  const paused = await stream(start as never)
  expect([asked(paused.at(-1) ?? {})[0]?.actions.length, ran]).toEqual([1, []])
  const resumed = await stream(resume(approve) as never)
  expect([JSON.stringify(resumed).includes('1 cents paid back for A-1'), ran]).toEqual([true, ['A-1 1']])
})
