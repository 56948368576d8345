import { Command, interrupt } from '@langchain/langgraph'
import { AIMessage, ToolMessage, tool } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createGate, OutcomeUnknown } from '../../../src/gate.ts'
import { humanInTheLoop, memoryStore, openDesk } from '../../../src/index.ts'
import { holdpointMiddleware } from '../../../src/langchain.ts'
import { ann, asked, calling, chat, gated, gateOn, refundDesk, refunding, results, resume } from './desk.ts'

const approve = { type: 'approve' }
const start = { messages: [{ role: 'user', content: 'Pay back.' }] }

test('independent: each call has an interrupt of its own, and the others run meanwhile', async () => {
  const { agent, ran } = refundDesk([
    refunding('c1', 'A-1', 1000),
    calling('c2', 'look_up', { order: 'A-2' }),
    refunding('c3', 'A-3', 3000),
  ])
  const store = memoryStore()
  const independent = () => agent(gated(store, { decisions: 'independent' }))
  const paused = asked(await independent().invoke(start, chat))
  expect([paused.map(({ actions }) => actions.length), ran]).toEqual([[1, 1], ['look_up A-2']])
  const last = paused.find(({ actions }) => (actions[0]?.args as { order?: string } | undefined)?.order === 'A-3')
  const left = await independent().invoke(new Command({ resume: { [last?.id ?? '']: { decisions: [approve] } } }), chat)
  expect([asked(left).length, ran]).toEqual([1, ['look_up A-2', 'A-3 3000']])
  const result = await independent().invoke(resume({ type: 'respond', message: 'Paid by hand.' }), chat)
  expect(results(result).map(({ content, status }) => [content, status])).toEqual([
    ['Paid by hand.', 'success'],
    ['A-2: lost', 'success'],
    ['3000 cents paid back for A-3', 'success'],
  ])
})

test('a crash after the tool and before the checkpoint: the next process gets the stored result', async () => {
  const { agent, ran, refund, lookUp } = refundDesk([refunding('c1', 'A-1', 1999)])
  const store = memoryStore()
  await agent(gated(store)).invoke(start, chat)
  const inner = gated(store)
  const crashing = {
    ...inner,
    wrapToolCall: async (request: never, handler: never) => {
      await inner.wrapToolCall?.(request, handler)
      throw new Error('The process died.')
    },
  }
  await expect(agent(crashing as never, [refund, lookUp]).invoke(resume(approve), chat)).rejects.toThrow('died')
  const result = await agent(gated(store)).invoke(null, chat)
  expect([results(result).map(({ content }) => content), ran]).toEqual([['1999 cents paid back for A-1'], ['A-1 1999']])
})

test('changed and invented calls in a checkpoint are not released by the approval of others', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
  const store = memoryStore()
  const paused = await agent(gated(store)).invoke(start, chat)
  const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
  await openDesk({ store }).decide({ request: request!, decision: { type: 'approve' }, by: ann })
  const message = paused.messages.at(-1) as AIMessage
  const { graph } = agent(gated(store))
  for (const call of [refunding('c1', 'A-1', 999_999), refunding('c9', 'A-1', 1999)]) {
    const forged = new AIMessage({ content: '', tool_calls: [call], ...(message.id ? { id: message.id } : {}) })
    const config = await graph.updateState(chat, { messages: [forged] }, 'model_request')
    const again = await agent(gated(store)).invoke(null, config as never)
    expect(asked(again)[0]?.actions).toMatchObject([{ args: call.args }])
  }
  const skipped = await graph.updateState(
    chat,
    { messages: [new AIMessage({ content: '', tool_calls: [refunding('c8', 'A-8', 8)] })] },
    'HoldpointMiddleware.after_model',
  )
  const refused = await agent(gated(store)).invoke(null, skipped as never)
  expect(results(refused).at(-1)).toMatchObject({
    id: 'c8',
    status: 'error',
    content: expect.stringMatching(/nobody was asked/),
  })
  expect(ran).toEqual([])
})

test('a model that uses its ids again makes new calls', async () => {
  const { agent, ran } = refundDesk([refunding('call_0', 'A-1', 1999)], [refunding('call_0', 'A-1', 1999)])
  const store = memoryStore()
  await agent(gated(store)).invoke(start, chat)
  const again = await agent(gated(store)).invoke(resume(approve), chat)
  expect([asked(again).length, ran.length]).toEqual([1, 1])
  await agent(gated(store)).invoke(resume(approve), chat)
  expect(ran).toEqual(['A-1 1999', 'A-1 1999'])
})

test('when and description are evaluated once; a condition that throws holds the call', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1), refunding('c2', 'A-2', 2), refunding('c3', 'A-3', 3)])
  const store = memoryStore()
  const evaluated: string[] = []
  const rule = {
    allowedDecisions: ['approve', 'reject'] as const,
    when: ({ toolCall }: { toolCall: { id?: string; args: { cents?: number } } }) => {
      evaluated.push(`when ${toolCall.id}`)
      if (toolCall.args.cents === 3) throw new Error('broken')
      return toolCall.args.cents === 2
    },
    description: ({ id }: { id?: string }) => {
      evaluated.push(`description ${id}`)
      return `Refund ${id}`
    },
  }
  const middleware = () => gated(store, { interruptOn: { refund: rule } })
  const paused = await agent(middleware()).invoke(start, chat)
  expect(asked(paused)[0]?.actions.map(({ description }) => description)).toEqual(['Refund c2', 'Refund c3'])
  expect(asked(paused)[0]?.configs).toMatchObject([{ allowedDecisions: ['approve', 'reject'] }, {}])
  const reject = { type: 'reject', message: 'No.' }
  const refused = await agent(middleware()).invoke(resume(reject, { type: 'respond', message: 'x' }), chat)
  expect([asked(refused)[0]?.problems?.length, asked(refused)[0]?.actions.length]).toEqual([1, 1])
  await agent(middleware()).invoke(resume(approve), chat)
  expect([...ran].sort()).toEqual(['A-1 1', 'A-3 3'])
  expect([...evaluated].sort()).toEqual(['description c2', 'description c3', 'when c1', 'when c2', 'when c3'])
})

test('policies of the gate hold what interruptOn does not name; decisions can name their requests', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1), refunding('c2', 'A-2', 2)])
  const gate = createGate({
    store: memoryStore(),
    policy: humanInTheLoop({ interruptOn: { refund: true } }),
    source: 'langchain',
  })
  const middleware = () => holdpointMiddleware({ gate, by: () => ann })
  const [paused] = asked(await agent(middleware()).invoke(start, chat))
  const id = paused?.actions[1]?.id
  const left = await agent(middleware()).invoke(resume({ type: 'approve', id }), chat)
  expect(asked(left)[0]?.actions).toMatchObject([{ args: { order: 'A-1' } }])
  await agent(middleware()).invoke(resume({ type: 'reject', message: 'No.' }), chat)
  expect(ran).toEqual(['A-2 2'])
})

test('definitions of tools are pinned: a changed tool is asked about again', async () => {
  const { agent, ran, refund } = refundDesk([refunding('c1', 'A-1', 1999)])
  const store = memoryStore()
  await agent(gated(store, { tools: [refund] })).invoke(start, chat)
  const changed = { ...refund, name: 'refund', description: 'Pays twice.', schema: refund.schema }
  const again = await agent(gated(store, { tools: [changed] })).invoke(resume(approve), chat)
  expect([asked(again)[0]?.actions.length, ran]).toEqual([1, []])
  await agent(gated(store, { tools: [changed] })).invoke(resume(approve), chat)
  expect(ran).toEqual(['A-1 1999'])
})

test('a tool that does not know whether it took effect: a person is asked, and it does not run again', async () => {
  const { agent } = refundDesk([calling('p1', 'pay', {})])
  const store = memoryStore()
  let runs = 0
  const pay = tool(
    async () => {
      runs += 1
      throw new OutcomeUnknown('The line went dead.')
    },
    { name: 'pay', description: 'Pays.', schema: z.object({}) },
  )
  const middleware = () => gated(store, { interruptOn: { pay: true } })
  await agent(middleware(), [pay]).invoke(start, chat)
  const paused = await agent(middleware(), [pay]).invoke(resume(approve), chat)
  expect([asked(paused).length, runs]).toEqual([1, 1])
  const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
  expect(request).toMatchObject({ reason: 'unknown_outcome' })
  const result = await agent(middleware(), [pay]).invoke(resume({ type: 'respond', message: 'It was paid.' }), chat)
  expect([results(result).map(({ content }) => content), runs]).toEqual([['It was paid.'], 1])
})

test('results that are commands are given back; a tool that interrupts itself must be named', async () => {
  const { agent } = refundDesk([calling('m1', 'move', {})])
  const store = memoryStore()
  let runs = 0
  const move = tool(
    async (_args, config: { toolCallId: string }) => {
      runs += 1
      const message = new ToolMessage({ content: 'moved', tool_call_id: config.toolCallId, name: 'move' })
      return new Command({ update: { messages: [message] } })
    },
    { name: 'move', description: 'Moves.', schema: z.object({}) },
  )
  const inner = gated(store, { interruptOn: {} })
  const crashing = {
    ...inner,
    wrapToolCall: async (request: never, handler: never) => {
      await inner.wrapToolCall?.(request, handler)
      throw new Error('The process died.')
    },
  }
  await expect(agent(crashing as never, [move]).invoke(start, chat)).rejects.toThrow('died')
  const result = await agent(gated(store, { interruptOn: {} }), [move]).invoke(null, chat)
  expect([results(result).map(({ content }) => content), runs]).toEqual([['moved'], 1])

  const asking = refundDesk([calling('q1', 'ask', {})])
  const ask = tool(async () => String(interrupt('Which?')), { name: 'ask', description: 'Asks.', schema: z.object({}) })
  const strict = gated(memoryStore(), { interruptOn: {} })
  await expect(asking.agent(strict, [ask]).invoke(start, chat)).rejects.toThrow(/name it in ungated/)
  const other = refundDesk([calling('q1', 'ask', {})])
  const open = gated(memoryStore(), { interruptOn: {}, ungated: ['ask'] })
  await other.agent(open, [ask]).invoke(start, chat)
  const answered = await other.agent(open, [ask]).invoke(new Command({ resume: 'This one.' }), chat)
  expect(results(answered).map(({ content }) => content)).toEqual(['This one.'])
})

test('a decision wakes the graph with what it needs to continue', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
  const store = memoryStore()
  await agent(gated(store)).invoke(start, chat)
  const ended: unknown[] = []
  const telling = gateOn(store).onSettled(async (_request, kept) => {
    const { threadId } = kept as { threadId: string }
    const wake = new Command({ resume: { holdpoint: true } })
    ended.push(results(await agent(gated(store)).invoke(wake, { configurable: { thread_id: threadId } })))
  })
  const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
  await openDesk({ store }).decide({ request: request!, decision: { type: 'approve' }, by: ann })
  await expect.poll(() => ended, { timeout: 60_000 }).toMatchObject([[{ content: '1999 cents paid back for A-1' }]])
  await telling[Symbol.asyncDispose]()
  expect(ran).toEqual(['A-1 1999'])
})

test('wrong options are refused when the middleware is made; nothing runs without a conversation or a store', async () => {
  const gate = gateOn(memoryStore())
  const free = createGate({ store: memoryStore(), policy: humanInTheLoop({ interruptOn: {} }), source: 'langchain' })
  const make = (options: object) => () => holdpointMiddleware({ gate, ...options } as never)
  expect(make({ gate: free, interruptOn: { refund: true } })).toThrow(/hostPolicy/)
  expect(make({ gate: undefined })).toThrow(/needs a gate/)
  expect(make({ interrupt_on: {} })).toThrow(/no option "interrupt_on"/)
  expect(make({ interruptOn: { refund: { allowedDecisions: [] } } })).toThrow(/wrong allowedDecisions/)
  expect(make({ interruptOn: { refund: { allowed_decisions: ['approve'] } } })).toThrow(/no option "allowed_decisions"/)
  expect(make({ interruptOn: { refund: 'yes' } })).toThrow(/must be true, false or an object/)
  expect(make({ case: 'kebab' })).toThrow(/'camel' or 'snake'/)
  expect(make({ decisions: 'both' })).toThrow(/'batch' or 'independent'/)
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1999)])
  const nowhere = holdpointMiddleware({ gate, interruptOn: { refund: true }, threadId: () => '' })
  await expect(agent(nowhere).invoke(start, chat)).rejects.toThrow(/needs a conversation/)
  const store = memoryStore()
  const down = gated(store)
  await store.close()
  await expect(agent(down).invoke(start, { configurable: { thread_id: 'other' } })).rejects.toThrow()
  expect(ran).toEqual([])
})
