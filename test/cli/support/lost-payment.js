import { Agent, openDesk, RunState, run, tool } from 'holdpoint'
import { sqliteStore } from 'holdpoint/sqlite'
import { z } from 'zod'

// Started once it dies in the middle of a payment; started again it prints the id of the request that asks what came of it.
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ cents: z.number() }),
  needsApproval: true,
  execute: () => process.kill(process.pid, 'SIGKILL'),
})
const model = { respond: async () => ({ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 500 } }] }) }
const agent = new Agent({ name: 'cashier', model, tools: [pay] })
const store = sqliteStore({ path: process.argv[2] ?? '' })
const resume = async () => run(agent, await RunState.load(agent, { store, threadId: 't' }))

if ((await store.read('t')).version === 0) {
  const { interruptions } = await run(agent, 'Pay.', { store, threadId: 't' })
  await openDesk({ store }).decide({ request: interruptions[0]?.id ?? '', decision: { type: 'approve' }, by: 'ann' })
}
const { interruptions } = await resume()
process.stdout.write(`${interruptions[0]?.id}\n`)
await store.close()
