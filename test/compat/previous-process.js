/**
 * A process of the previous build. It opens the store that its arguments name and does what it is told, one message at a time.
 */
const [build, address] = process.argv.slice(2)
const { Agent, humanInTheLoop, openDesk, postgresStore, run, scriptedModel, sqliteStore, sweep, tool } = await import(build)
const { z } = await import('zod')

const [connectionString, schema] = address.split('#')
const store = schema
  ? postgresStore({ connectionString, schema, onWarning: () => undefined })
  : sqliteStore({ path: address, onWarning: () => undefined })
const desk = openDesk({ store })
const by = { kind: 'person', id: 'ann' }

function clerk(interruptOn, asks) {
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ order: z.number(), to: z.string(), password: z.string() }),
    execute: () => 'refunded',
  })
  const args = { order: 42, to: 'Bob@example.com', password: 'hunter2' }
  const model = scriptedModel(asks ? [{ toolCalls: [{ id: 'c1', name: 'refund', args }] }] : ['Done.'])
  return new Agent({ name: 'clerk', model, tools: [refund], policy: humanInTheLoop({ interruptOn: { refund: interruptOn } }) })
}

const acts = {
  async open({ threadId, ask = true }) {
    const { interruptions } = await run(clerk(ask, true), 'go', { store, threadId })
    return interruptions[0].id
  },
  async decide({ request, ...more }) {
    const [decided] = await desk.decide({ request, decision: { type: 'approve' }, by, ...more })
    return decided.status
  },
  async resume({ threadId, ask = true }) {
    const agent = clerk(ask, false)
    const result = await agent.thread(threadId, { store }).resume()
    return result.status
  },
  list: async () => (await desk.list({ status: 'open' })).requests.map(({ id }) => id),
  sweep: () => sweep(store),
  close: () => store.close(),
}

process.on('message', async ({ act, ...options }) => {
  try {
    process.send({ done: await acts[act](options) })
  } catch (error) {
    process.send({ failed: { name: error.name, code: error.code, message: error.message } })
  }
  if (act === 'close') process.disconnect()
})
process.send({ done: 'ready' })
