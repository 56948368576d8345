import { appendFileSync } from 'node:fs'
import * as holdpoint from 'holdpoint'
import { Journal, Loop, uuidSource, withCrashPoints } from '../../../dist/internals/index.js'
import { storeAt } from '../../support/stores/stored-at.js'
import { createCashier } from './cashier.js'

/**
 * A process that is frozen by SIGSTOP, at the point that it was told, while it goes on with a thread under a short lease.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} threadId
 * @property {string} effects where it notes that it paid, and how it ended
 * @property {'acknowledged' | 'hook' | 'step'} freezeAt
 * @property {number} leaseMs
 */

const { path, threadId, effects, freezeAt, leaseMs } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))

/** @param {string} line */
const note = (line) => appendFileSync(effects, `${JSON.stringify(line)}\n`)
let frozen = false

/** @param {Work['freezeAt']} point */
function freeze(point) {
  if (frozen || point !== freezeAt) return
  frozen = true
  process.kill(process.pid, 'SIGSTOP')
}

const store = withCrashPoints(storeAt(path, { durability: 'process' }), (point) => {
  if (point === 'after:call.started#1') freeze('acknowledged')
  if (point === 'after:step.started#1') freeze('step')
})
const resumable = freezeAt === 'step'
const agent = createCashier(holdpoint, {
  pay: (ctx) => (resumable ? ctx.step('pay', () => note('paid')) : note('paid')),
  resumable,
  ...(freezeAt === 'hook' ? { beforeTool: () => freeze('hook') } : {}),
})
const journal = await Journal.open(store, threadId)
const ending = await new Loop(agent, journal, { newId: uuidSource(), leaseMs }).drive()
note(ending.kind)
await store.close()
