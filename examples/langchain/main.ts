// An agent of LangChain with holdpointMiddleware in place of humanInTheLoopMiddleware: a batch with approve and reject, and three approvals at once.
import { Command, MemorySaver } from '@langchain/langgraph'
import { memoryStore } from 'holdpoint'
import { createGate, hostPolicy } from 'holdpoint/gate'
import { holdpointMiddleware } from 'holdpoint/langchain'
import { AIMessage, createAgent, fakeModel, tool } from 'langchain'
import { z } from 'zod'

let paid = 0
const refund = tool(
  async ({ order, cents }: { order: string; cents: number }) => {
    paid += cents
    return `${cents} cents paid back for ${order}`
  },
  {
    name: 'refund',
    description: 'Pays an order back.',
    schema: z.object({ order: z.string(), cents: z.number() }),
  },
)
const lookUp = tool(async ({ order }: { order: string }) => `${order}: lost`, {
  name: 'look_up',
  description: 'Finds an order.',
  schema: z.object({ order: z.string() }),
})

// A script stands in for the model. It answers by the length of the conversation, so that it can be asked again.
const calls = [
  { id: 'c1', name: 'refund', args: { order: 'A-1', cents: 1999 } },
  { id: 'c2', name: 'look_up', args: { order: 'A-2' } },
  { id: 'c3', name: 'refund', args: { order: 'A-3', cents: 3000 } },
]
const model = fakeModel()
for (let time = 0; time < 8; time++) {
  model.respond((messages) =>
    messages.some((message) => message.getType() === 'ai')
      ? new AIMessage('Settled.')
      : new AIMessage({ content: '', tool_calls: calls }),
  )
}

// Use sqliteStore or postgresStore, and a checkpointer that survives the process.
const gate = createGate({ store: memoryStore(), policy: hostPolicy, source: 'langchain' })
const agent = createAgent({
  model,
  tools: [refund, lookUp],
  checkpointer: new MemorySaver(),
  middleware: [
    holdpointMiddleware({
      gate,
      interruptOn: { refund: true },
      // Take this from a verified credential of the request that resumes the graph.
      by: () => ({ kind: 'person', id: 'ann' }),
    }),
  ],
})

// 1. One interrupt for both refunds, in the shape of humanInTheLoopMiddleware.
const chat = { configurable: { thread_id: 'chat-7' } }
const paused = await agent.invoke({ messages: [{ role: 'user', content: 'Settle my orders.' }] }, chat)
const [asked] = (paused as { __interrupt__?: { value: { actionRequests: { args: object }[] } }[] }).__interrupt__ ?? []
for (const { args } of asked?.value.actionRequests ?? []) console.log('asked about', JSON.stringify(args))

// 2. Approve one, reject the other. The page sends the answer three times at once.
const resume = { decisions: [{ type: 'approve' }, { type: 'reject', message: 'A-3 has arrived.' }] }
const [result] = await Promise.all([1, 2, 3].map(() => agent.invoke(new Command({ resume }), chat)))

// 3. Each call has its own result, in the order of the calls, and the money moved once.
for (const message of result?.messages ?? []) {
  if (message.getType() === 'tool') console.log(String(message.content))
}
console.log(`${paid} cents paid`)
