import { appendFileSync } from 'node:fs'
import { humanInTheLoop } from 'holdpoint'
import { createGate } from 'holdpoint/gate'
import { sleepUntil } from '../support/sleep-until.js'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * A host in a process of its own: judges a call, or executes it and writes down that it ran.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} log
 * @property {import('holdpoint/gate').ForeignCall[]} calls
 * @property {'judge' | 'execute' | 'spend'} does
 * @property {boolean} [killed] it is killed after the effect, before the end of the tool
 * @property {number} [startAt] when it begins, in milliseconds since 1970
 */

const { path, log, calls, does, killed, startAt = 0 } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(path, { durability: 'process' })
const gate = createGate({ store, source: 'test', policy: humanInTheLoop({ interruptOn: { refund: true } }) })

/** @param {object} line */
const record = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)

/** @param {import('holdpoint/gate').ForeignCall} call */
async function execute(call) {
  const { callId } = call
  const result = await gate.execute(call, async (args) => {
    record({ ran: callId, args })
    if (killed) process.kill(process.pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { by: process.pid }
  })
  record({ got: callId, result })
}

await sleepUntil(startAt)
if (does === 'judge') record({ states: (await gate.judge(calls)).map(({ status }) => status) })
else if (does === 'execute') await Promise.all(calls.map(execute))
else for (const call of calls) record({ spent: call.callId, status: (await gate.spend(call)).status })
await store.close()
