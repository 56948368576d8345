import { Agent, openDesk, tool } from 'holdpoint'
import { sqliteStore } from 'holdpoint/sqlite'
import { scriptedModel } from 'holdpoint/testing'
import { createWorker, enqueueRun, inProcessQueue } from 'holdpoint/worker'
import { z } from 'zod'

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ orderId: z.number(), cents: z.number() }),
  needsApproval: true,
  execute: async ({ orderId, cents }) => `refunded ${cents} cents of order ${orderId}`,
})
const model = scriptedModel([
  { toolCalls: [{ id: 'c1', name: 'refund', args: { orderId: 47, cents: 1200 } }] },
  'Your money is on its way.',
])
const agent = new Agent({ name: 'support', version: '1', model, tools: [refund] })
const store = sqliteStore({ path: 'support.db' })

// The web server: it stores the run and answers at once. It needs no code of the agent, only its name and version.
await enqueueRun(store, { agent: { id: 'support', version: '1' }, threadId: 'order-47', input: 'My kettle leaks.' })
console.log('web: stored')

// Each worker process: as many as you like, on as many machines as you like.
const worker = createWorker({
  agents: [agent],
  store,
  queue: inProcessQueue(),
  onEvent(event) {
    if (event.type === 'driven') console.log(`worker: ${event.threadId} ${event.outcome}`)
    if (event.type === 'error' || event.type === 'dead') console.error(event.error)
  },
})
await worker.start()

// A person, at the inbox, on the command line or here. Nobody calls the worker: it finds the decision in the store.
const desk = openDesk({ store })
await untilThread(async () => (await desk.list({ threadId: 'order-47', status: 'open' })).requests.length > 0)
const [request] = (await desk.list({ threadId: 'order-47' })).requests
await desk.decide({ request: request!, decision: { type: 'approve' }, by: 'ann' })
console.log('ann: approved')
await untilThread(async () => {
  const { entries } = await store.read('order-47')
  return entries.some(({ body }) => JSON.parse(body).type === 'run.settled')
})

// On SIGTERM: it takes nothing new, and lets running tools finish.
await worker.stop({ graceMs: 10_000 })
console.log(`worker: ${worker.status().state}`)
await store.close()

/** Waits until something is true of the thread. */
async function untilThread(holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const { version } = await store.read('order-47')
    if (await holds()) return
    await store.changed('order-47', { after: version, signal: AbortSignal.timeout(10_000) })
  }
}
