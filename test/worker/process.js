import { appendFileSync } from 'node:fs'
import * as holdpoint from 'holdpoint'
import { createWorker, inProcessQueue } from 'holdpoint/worker'
import { withCrashPoints } from '../../dist/internals/index.js'
import { createCashier } from '../crash/support/cashier.js'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * A process with a worker. It says `ready` once it takes wake-ups, and ends at SIGTERM.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} effects where its tools note what they did: a line for each payment, outside of the store
 * @property {number} leaseMs
 * @property {string} [killAt] the crash point at which it dies by SIGKILL
 * @property {string} [freezeAt] the crash point at which it is frozen by SIGSTOP, once
 * @property {string} [tell] where it notes the crash points that it passes
 */

const { path, effects, leaseMs, killAt, freezeAt, tell } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
let isFrozen = false

/** @param {string} point */
function reach(point) {
  if (tell) appendFileSync(tell, `${JSON.stringify(point)}\n`)
  if (point === killAt) process.kill(process.pid, 'SIGKILL')
  if (point !== freezeAt || isFrozen) return
  isFrozen = true
  process.kill(process.pid, 'SIGSTOP')
}

const store = withCrashPoints(storeAt(path, { durability: 'process' }), reach)
const agent = createCashier(holdpoint, {
  pay: ({ threadId, fencingToken }) => {
    appendFileSync(effects, `${JSON.stringify({ threadId, pid: process.pid, fencingToken })}\n`)
    reach('paid')
  },
})
const worker = createWorker({
  agents: [agent],
  store,
  queue: inProcessQueue(),
  leaseMs,
  sweepMs: 50,
  onEvent: (event) => {
    if (event.type === 'error' || event.type === 'dead' || event.type === 'failed')
      process.stderr.write(`${JSON.stringify(event)} ${event.error}\n`)
  },
})
await worker.start()
process.stdout.write('ready\n')
process.once('SIGTERM', async () => {
  await worker.stop()
  await store.close()
})
