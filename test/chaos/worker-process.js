import './jumping-clock.js'
import { bullmqQueue, createWorker, postgresQueue } from 'holdpoint/worker'
import { storeAt } from '../support/stores/stored-at.js'
import { createClerk } from './clerk.js'
import { openEffects } from './effects.js'

/**
 * A process with a worker. It says `ready` once it takes wake-ups.
 *
 * @typedef {object} Work
 * @property {string} name
 * @property {string} store its address
 * @property {{ kind: 'bullmq', url: string } | { kind: 'postgres', connectionString: string }} queue
 * @property {readonly string[]} versions of the agent that it has
 * @property {string} effects the path of the tools' log
 * @property {number} leaseMs
 */

const {
  name,
  versions,
  store: address,
  queue: place,
  effects: path,
  leaseMs,
} = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
// It ends with whoever started it.
process.once('disconnect', () => process.exit())
const effects = openEffects(path)
const worker = createWorker({
  agents: versions.map((version) => createClerk(version, name, effects)),
  store: storeAt(address, { timeoutMs: 3000 }),
  queue:
    place.kind === 'bullmq'
      ? bullmqQueue({ connection: place.url, timeoutMs: 2000 })
      : postgresQueue({ connectionString: place.connectionString, timeoutMs: 2000 }),
  leaseMs,
  sweepMs: 500,
  onEvent: (event) => {
    if (event.type === 'dead') process.stderr.write(`${name}: ${event.threadId} is stuck: ${event.error}\n`)
  },
})

process.once('SIGTERM', async () => {
  await worker.stop({ graceMs: 1000 })
  process.exit()
})

/** Faults may be on already when it starts. */
for (;;) {
  try {
    await worker.start()
    break
  } catch (error) {
    process.stderr.write(`${name} could not start: ${error}\n`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
process.stdout.write('ready\n')
