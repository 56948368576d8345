import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withCrashPoints } from '../../../dist/internals/index.js'
import { storeAt } from '../../support/stores/stored-at.js'
import { createAgent, finish, record } from './cycle.js'

/**
 * A process that is killed: it runs threads to their end, all at once, and dies by SIGKILL at the point that it was told, if any.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} log where it writes what it was promised
 * @property {'power' | 'process'} durability
 * @property {string[]} threads
 * @property {import('./cycle.js').Cycle} cycle
 * @property {string} [killAt] the name of a crash point
 * @property {boolean} [tellPoints] whether to log the points that it passes
 * @property {number} [staggerMs] how long after one another its threads begin, so that a kill meets each of them elsewhere
 */

const work = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
/** @type {Map<string, number>} */
const passed = new Map()

/** @param {object} line */
const log = (line) => record(work.log, line)

/** @param {string} point */
function reach(point) {
  const count = (passed.get(point) ?? 0) + 1
  passed.set(point, count)
  // Points of the wrapper carry a number of their own; those of the store and the bodies are counted here.
  const name = point.includes('#') ? point : `${point}#${count}`
  if (work.tellPoints) log({ kind: 'point', name })
  if (name === work.killAt) process.kill(process.pid, 'SIGKILL')
}

const store = withCrashPoints(storeAt(work.path, { durability: work.durability, crashPoint: reach }), reach)
const agent = createAgent(work.cycle, reach)
process.stdout.write('ready\n')

/** What a restarted process finds, before it does anything. @param {string} threadId */
async function look(threadId) {
  const { version, entries } = await store.read(threadId)
  const hash = createHash('sha256')
  for (const { body } of entries) hash.update(body)
  log({ kind: 'found', threadId, version, hash: hash.digest('hex') })
}

for (const threadId of work.threads) await look(threadId)
await Promise.all(
  work.threads.map(async (threadId, index) => {
    if (work.staggerMs) await sleep(index * work.staggerMs)
    await finish({ agent, store, threadId, cycle: work.cycle, log })
  }),
)
await store.close()
