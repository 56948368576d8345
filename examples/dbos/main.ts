// Holdpoint inside a DBOS workflow: the workflow waits for a person in DBOS.recv, and the gate's outbox wakes it.
// It needs Postgres: DATABASE_URL=postgres://… node main.ts
import { DBOS } from '@dbos-inc/dbos-sdk'
import { humanInTheLoop, openDesk } from 'holdpoint'
import { createGate } from 'holdpoint/gate'
import { postgresStore } from 'holdpoint/postgres'
import { approved, deliverDecisions } from './approval.ts'

const databaseUrl = process.env.DATABASE_URL ?? 'postgres://postgres@localhost/shop'
const store = postgresStore({ connectionString: databaseUrl })
const policy = humanInTheLoop({ interruptOn: { refund: true } })
const gate = createGate({ store, policy, source: 'dbos' })

const refundOrder = DBOS.registerWorkflow(
  async (orderId: string, cents: number): Promise<string> => {
    const call = { callId: 'refund', toolName: 'refund', args: { orderId, cents } }
    const end = await approved(gate, call, async (args, { idempotencyKey }) => {
      // Pass the key on to the bank, so that a repeated attempt is the same payment.
      console.log(`bank: pays ${args.cents} cents, key of ${idempotencyKey.length} characters`)
      return `${args.cents} cents paid back`
    })
    return end.ran ? end.result : `not paid: ${end.message}`
  },
  { name: 'refundOrder' },
)

// Pending workflows are resumed at launch by a process with the same executor id. Its default is 'local'; name each machine's process in production.
DBOS.setConfig({ name: 'shop', systemDatabaseUrl: databaseUrl, logLevel: 'error' })
await DBOS.launch()
// Any process may deliver. One without workflows uses DBOSClient.create({ systemDatabaseUrl }) and its send.
const delivering = deliverDecisions(gate, (workflow, message, topic, key) => DBOS.send(workflow, message, topic, key))

// The workflow's id is the order's: starting it twice is starting it once.
const first = await DBOS.startWorkflow(refundOrder, { workflowID: 'order-42' })('42', 1999)
const second = await DBOS.startWorkflow(refundOrder, { workflowID: 'order-43' })('43', 500_000)

// People decide, here at a desk: in the inbox, over HTTP and on the command line it is the same request.
const desk = openDesk({ store })
for (let decided = 0; decided < 2; await new Promise((resolve) => setTimeout(resolve, 50))) {
  for (const request of (await desk.list({ status: 'open' })).requests) {
    const isSmall = Number(request.args?.cents) < 10_000
    const decision = isSmall ? ({ type: 'approve' } as const) : ({ type: 'reject', message: 'Too much.' } as const)
    await desk.decide({ request, decision, by: 'ann' })
    decided += 1
  }
}
console.log(`order-42: ${await first.getResult()}`)
console.log(`order-43: ${await second.getResult()}`)

await delivering[Symbol.asyncDispose]()
await DBOS.shutdown()
await store.close()
