// A run that stops before a refund. Another process resumes it from the store.
//
//   main.js start      runs until a person is needed
//   main.js approve    decides the open requests (or reject); needs only the store, not the agent
//   main.js resume     continues where the run stopped
import { Agent, type Model, openDesk, type RunResult, RunState, run, tool } from 'holdpoint'
import { sqliteStore } from 'holdpoint/sqlite'
import { z } from 'zod'

const threadId = 'order-42'
const store = sqliteStore({ path: '.holdpoint/pause-and-resume.db' })

// Stands in for a language model: calls refund, then reports the result.
const model: Model = {
  async respond({ messages }) {
    const last = messages.at(-1)
    if (last?.role === 'tool') return { content: `About your order: ${last.content}` }
    return { toolCalls: [{ name: 'refund', args: { orderId: '42', cents: 1999 } }] }
  },
}

const refund = tool({
  name: 'refund',
  description: 'Pays the price of an order back.',
  parameters: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  needsApproval: async (_context, { cents }) => cents > 500,
  // What people read in the inbox and in the terminal.
  display: {
    title: 'Refund {cents} for order {orderId}',
    fields: { cents: { format: 'money', currency: 'EUR', unit: 'minor', label: 'Amount' }, orderId: 'id' },
  },
  // Pass the key on to your payment provider: a second call with it must not pay twice.
  execute: async ({ orderId, cents }, { idempotencyKey }) => {
    console.log(`paying ${cents} cents for order ${orderId}, key ${idempotencyKey.slice(0, 8)}…`)
    return `${cents} cents were paid back.`
  },
})

const agent = new Agent({ name: 'support', model, tools: [refund] })

function show(result: RunResult): void {
  for (const { toolName, args } of result.interruptions) console.log(`waiting: ${toolName} ${JSON.stringify(args)}`)
  if (result.status === 'completed') console.log(`completed: ${result.finalOutput}`)
  if (result.status === 'failed') throw result.error
}

async function decide(type: string): Promise<void> {
  const desk = openDesk({ store })
  const { requests } = await desk.list({ threadId, status: 'open' })
  for (const request of requests) {
    await desk.decide({ request, decision: { type }, by: 'ann' })
    console.log(`decided: ${type} ${request.toolName}`)
  }
}

const [command = 'start'] = process.argv.slice(2)
if (command === 'start') show(await run(agent, 'My parcel never came.', { store, threadId }))
else if (command === 'resume') show(await run(agent, await RunState.load(agent, { store, threadId })))
else await decide(command)
await store.close()
