import { humanInTheLoopMiddleware } from 'langchain'
import { describe, expect, test } from 'vitest'
import { memoryStore, openDesk } from '../../../src/index.ts'
import { ann, asked, calling, callsOf, chat, gated, refundDesk, refunding, results, resume } from './desk.ts'

const approve = { type: 'approve' }
const start = { messages: [{ role: 'user', content: 'Pay back.' }] }
const theirs = () => humanInTheLoopMiddleware({ interruptOn: { refund: true } } as never)
const four = [
  calling('c1', 'look_up', { order: 'A-1' }),
  refunding('c2', 'A-2', 2000),
  calling('c3', 'look_up', { order: 'A-3' }),
  refunding('c4', 'A-4', 4000),
]

describe('humanInTheLoopMiddleware alone', () => {
  test('runs a call several times if three approvals come at once', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    await agent(theirs()).invoke(start, chat)
    await Promise.allSettled([1, 2, 3].map(() => agent(theirs()).invoke(resume(approve), chat)))
    expect(ran.length).toBeGreaterThan(1)
  })

  test('runs nothing of a batch with one rejection, and leaves a call without a result', async () => {
    const { agent, ran } = refundDesk(four)
    await agent(theirs()).invoke(start, chat)
    const result = await agent(theirs()).invoke(resume(approve, { type: 'reject', message: 'No.' }), chat)
    expect([ran, results(result).map(({ id }) => id)]).toEqual([[], ['c4']])
  })

  test('reorders the calls of the message', async () => {
    const { agent } = refundDesk(four)
    await agent(theirs()).invoke(start, chat)
    const result = await agent(theirs()).invoke(resume(approve, approve), chat)
    expect(callsOf(result).map(({ id }) => id)).toEqual(['c1', 'c3', 'c2', 'c4'])
  })

  test('runs a call twice if its checkpoint is resumed twice', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    await agent(theirs()).invoke(start, chat)
    const { config } = await agent(theirs()).graph.getState(chat)
    for (let time = 0; time < 2; time++) await agent(theirs()).invoke(resume(approve), config as never)
    expect(ran).toEqual(['A-1 1999', 'A-1 1999'])
  })

  test('runs a call, and reports that it was rejected, if one approves and one rejects at once', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    await agent(theirs()).invoke(start, chat)
    const ended = await Promise.all(
      [approve, { type: 'reject', message: 'No.' }].map((answer) => agent(theirs()).invoke(resume(answer), chat)),
    )
    expect([ran, results(ended[1] ?? {}).map(({ content }) => content)]).toEqual([['A-1 1999'], ['No.']])
  })

  test('cannot go on after one wrong answer', async () => {
    const { agent } = refundDesk([refunding('c1', 'A-1', 1999)])
    await agent(theirs()).invoke(start, chat)
    await expect(agent(theirs()).invoke(resume(), chat)).rejects.toThrow()
    await expect(agent(theirs()).invoke(resume(approve), chat)).rejects.toThrow()
  })
})

describe('holdpointMiddleware', () => {
  test('runs a call once if three approvals come at once', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    const store = memoryStore()
    const paused = await agent(gated(store)).invoke(start, chat)
    expect(asked(paused)[0]?.actions).toMatchObject([{ name: 'refund', args: { order: 'A-1', cents: 1999 } }])
    const ended = await Promise.all([1, 2, 3].map(() => agent(gated(store)).invoke(resume(approve), chat)))
    expect(ran).toEqual(['A-1 1999'])
    for (const result of ended) expect(results(result)).toMatchObject([{ content: '1999 cents paid back for A-1' }])
  })

  test('runs a call once if its checkpoint is resumed twice, and gives its result to both', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    const store = memoryStore()
    await agent(gated(store)).invoke(start, chat)
    const { config } = await agent(gated(store)).graph.getState(chat)
    for (let time = 0; time < 2; time++) {
      const ended = await agent(gated(store)).invoke(resume(approve), config as never)
      expect(results(ended)).toMatchObject([{ content: '1999 cents paid back for A-1' }])
    }
    expect(ran).toEqual(['A-1 1999'])
  })

  test('lets the first of two answers count: approve and reject at once', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    const store = memoryStore()
    await agent(gated(store)).invoke(start, chat)
    const ended = await Promise.all(
      [approve, { type: 'reject', message: 'No.' }].map((answer) => agent(gated(store)).invoke(resume(answer), chat)),
    )
    const told = new Set(ended.map((result) => results(result)[0]?.content))
    expect([...told]).toEqual([ran.length === 1 ? '1999 cents paid back for A-1' : 'No.'])
  })

  test('keeps order and message in a batch with approve and reject: each call has its own result', async () => {
    const { agent, ran } = refundDesk(four)
    const store = memoryStore()
    const paused = await agent(gated(store)).invoke(start, chat)
    expect([asked(paused)[0]?.actions.map(({ args }) => args), ran]).toEqual([[four[1]?.args, four[3]?.args], []])
    const result = await agent(gated(store)).invoke(resume(approve, { type: 'reject', message: 'No.' }), chat)
    expect(callsOf(result)).toEqual(four.map(({ id, name, args }) => ({ id, name, args })))
    expect(results(result).map(({ id, content, status }) => [id, content, status])).toEqual([
      ['c1', 'A-1: lost', 'success'],
      ['c2', '2000 cents paid back for A-2', 'success'],
      ['c3', 'A-3: lost', 'success'],
      ['c4', 'No.', 'error'],
    ])
    expect([...ran].sort()).toEqual(['A-2 2000', 'look_up A-1', 'look_up A-3'])
  })

  test('asks again after a wrong answer, and says what was wrong', async () => {
    const { agent, ran } = refundDesk(four)
    const store = memoryStore()
    await agent(gated(store)).invoke(start, chat)
    for (const [wrong, problem] of [
      [resume(approve), /1 decisions for 2 calls/],
      [resume(approve, { type: 'maybe' }), /no decision "maybe"/],
      [resume(approve, { type: 'edit', editedAction: { name: 'look_up', args: {} } }), /cannot change which tool/],
    ] as const) {
      const again = await agent(gated(store)).invoke(wrong, chat)
      expect(asked(again)[0]?.problems?.[0]).toMatch(problem)
      expect(asked(again)[0]?.actions.length).toBe(2)
    }
    await agent(gated(store)).invoke(resume(approve, approve), chat)
    expect([...ran].sort()).toEqual(['A-2 2000', 'A-4 4000', 'look_up A-1', 'look_up A-3'])
  })

  test('never lets an answer count for another call, if one was decided elsewhere meanwhile', async () => {
    const { agent, ran } = refundDesk(four)
    const store = memoryStore()
    await agent(gated(store)).invoke(start, chat)
    const desk = openDesk({ store })
    const { requests } = await desk.list({ status: 'open' })
    const first = requests.find(({ args }) => args?.order === 'A-2')
    await desk.decide({ request: first!, decision: { type: 'reject', message: 'No.' }, by: 'bob' })
    const result = await agent(gated(store)).invoke(resume(approve, { type: 'reject', message: 'Nor this.' }), chat)
    expect(results(result).map(({ content }) => content)).toEqual(['A-1: lost', 'No.', 'A-3: lost', 'Nor this.'])
    expect([...ran].sort()).toEqual(['look_up A-1', 'look_up A-3'])
  })

  test('goes on when the decision was made elsewhere; waking it decides nothing', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    const store = memoryStore()
    const wake = resume()
    wake.resume = { holdpoint: true }
    await agent(gated(store)).invoke(start, chat)
    expect(asked(await agent(gated(store)).invoke(wake, chat))[0]?.actions.length).toBe(1)
    const desk = openDesk({ store })
    const [request] = (await desk.list({ status: 'open' })).requests
    const decision = { type: 'edit', args: { order: 'A-1', cents: 5 } } as const
    await desk.decide({ request: request!, decision, by: ann })
    const result = await agent(gated(store)).invoke(wake, chat)
    expect(ran).toEqual(['A-1 5'])
    expect(callsOf(result)).toEqual([{ id: 'c1', name: 'refund', args: { order: 'A-1', cents: 1999 } }])
    expect(results(result)[0]?.content).toContain('A person changed the arguments to {"order":"A-1","cents":5}')
  })

  test('does not believe an answer without a known person', async () => {
    const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
    const store = memoryStore()
    const anonymous = () => gated(store, { by: () => undefined })
    await agent(anonymous()).invoke(start, chat)
    const again = await agent(anonymous()).invoke(resume(approve), chat)
    expect([asked(again)[0]?.problems?.[0], ran]).toEqual([expect.stringContaining('Nobody is known'), []])
  })
})
