import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../../ports/clock.ts'
import { HoldpointError } from '../../../protocol/errors/errors.ts'
import { steadyClock } from '../../shared/steady-clock.ts'
import { createSalts } from '../../sql/salts.ts'
import { createConnectionHolder } from '../connection/connection.ts'
import { createCommitQueue } from './commit-queue.ts'
import { passGate } from './exit-gate.ts'
import type { Answer, Order, ThreadData } from './thread-queue.ts'

// Node 22 warns once in each thread that its SQLite is experimental. The program's own thread has loaded it before: whether it is told there is up to
// the program, as the command line keeps it from logs.
const { emitWarning } = process
process.emitWarning = ((warning: string | Error, ...more: []) => {
  const [kind] = more as unknown[]
  if (kind !== 'ExperimentalWarning' || !String(warning).startsWith('SQLite')) emitWarning(warning, ...more)
}) as typeof emitWarning

/** The thread that makes the writes of a store. The store has opened the file before, and warned of its place if need be. */
const { path, durability, driver, busyTimeoutMs, trust, gate } = workerData as ThreadData
const port = parentPort!
const holder = createConnectionHolder({ path, durability, driver, onWarning() {} })
const clock = steadyClock(systemClock)
const writing = { salts: createSalts(), trust, now: () => clock.now() }
const pass = (work: () => void) => passGate(gate, work)
const queue = createCommitQueue({ holder, busyTimeoutMs, crashPoint: undefined, writing, pass })

port.on('message', async (order: Order) => {
  if (order === 'close') {
    pass(() => holder.close())
    port.close()
    return
  }
  // They are queued together, so one transaction carries them.
  const settled = await Promise.allSettled(order.map(({ write, ...timed }) => queue.push(write, timed)))
  port.postMessage(settled.map(toAnswer))
})

function toAnswer(settled: PromiseSettledResult<unknown>): Answer {
  if (settled.status === 'fulfilled') return { kind: 'done', outcome: settled.value }
  const busy = HoldpointError.isInstance(settled.reason) && settled.reason.code === 'store_busy'
  return { kind: busy ? 'busy' : 'failed' }
}
