import { appendFileSync } from 'node:fs'
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import { humanInTheLoop } from 'holdpoint'
import { createGate } from 'holdpoint/gate'
import { postgresStore } from 'holdpoint/postgres'

/**
 * A process of an application on DBOS: it runs the workflow of the example, or delivers decisions to it.
 *
 * @typedef {object} Work
 * @property {string} example the address of the example's compiled module
 * @property {string} url the database
 * @property {string} log
 * @property {'work' | 'deliver'} does
 * @property {string} workflow
 * @property {string} [request] the request whose decision is delivered
 * @property {'effect' | 'end' | 'before send' | 'after send'} [killed] where it kills itself
 */

const { example, url, log, does, workflow, request, killed } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
/** @type {typeof import('../../examples/dbos/approval.ts')} */
const { approved, deliverDecisions } = await import(example)
// Servers of tests do not sync, and say so.
const store = postgresStore({ connectionString: url, onWarning: () => undefined })
const gate = createGate({ store, policy: humanInTheLoop({ interruptOn: { refund: true } }), source: 'dbos' })

/** @param {object} line */
const record = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)
/** @param {Work['killed']} here */
const killHere = (here) => {
  if (killed === here) process.kill(process.pid, 'SIGKILL')
}

/** The gate, in a process that may be killed after a call's end was recorded and before DBOS knows of it. */
const watched = {
  ...gate,
  /** @type {typeof gate.execute} */
  async execute(call, run, options) {
    const result = await gate.execute(call, run, options)
    killHere('end')
    return result
  },
}

const refund = DBOS.registerWorkflow(
  async () => {
    await DBOS.runStep(async () => record({ first: process.pid }), { name: 'first' })
    const call = { callId: 'refund', toolName: 'refund', args: { cents: 1999 } }
    return approved(watched, call, async (args) => {
      record({ paid: args.cents })
      killHere('effect')
      return `${args.cents} cents paid back`
    })
  },
  { name: 'refund' },
)

async function work() {
  DBOS.setConfig({ name: 'shop', systemDatabaseUrl: url, logLevel: 'error' })
  await DBOS.launch()
  const handle = await DBOS.startWorkflow(refund, { workflowID: workflow })()
  record({ result: await handle.getResult() })
  await DBOS.shutdown()
}

async function deliver() {
  const client = await DBOSClient.create({ systemDatabaseUrl: url })
  /** @type {() => void} */
  let sent = () => undefined
  const first = new Promise((resolve) => {
    sent = () => resolve(undefined)
  })
  const delivering = deliverDecisions(gate, async (to, message, topic, key) => {
    // Decisions of earlier tests may be delivered again.
    const isAwaited = message === request
    if (isAwaited) killHere('before send')
    await client.send(to, message, topic, key)
    if (!isAwaited) return
    record({ sent: to, key })
    killHere('after send')
    sent()
  })
  await first
  await delivering[Symbol.asyncDispose]()
  await client.destroy()
}

await (does === 'work' ? work() : deliver())
await store.close()
