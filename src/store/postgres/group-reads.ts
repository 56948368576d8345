import type { Verify } from '../shared/verify.ts'
import type { SqlRow } from '../sql/dialect.ts'
import type { Connections } from './connection/connection.ts'
import { isUnreachable } from './connection/failure.ts'
import { createGathering } from './gathering.ts'
import { type LoadThread, loadThreads, type ThreadLoad } from './read.ts'
import type { StoreTime } from './time.ts'

/** The most threads of a batch: an answer is kept in memory as a whole. */
const MOST = 16

interface Waiting {
  readonly load: ThreadLoad
  resolve(row: SqlRow): void
  reject(error: unknown): void
}

/**
 * Loads threads. Loads that wait are sent together, with one statement: with many threads under way, round trips cost more than what they read. What is
 * found is at least as new as the call. If a batch is refused as a whole, each is loaded alone.
 */
export function createReads(
  connections: Connections,
  { verify, time }: { verify: Verify; time: StoreTime },
): LoadThread {
  const { schema } = connections.place

  async function send(batch: readonly Waiting[]): Promise<void> {
    try {
      const loads = batch.map(({ load }) => load)
      const rows = await connections.use((run) => loadThreads(run, { schema, verify, time }, loads))
      for (const [index, { resolve }] of batch.entries()) resolve(rows[index]!)
    } catch (error) {
      if (batch.length > 1 && !isUnreachable(error)) await Promise.all(batch.map((waiting) => send([waiting])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const gather = createGathering<Waiting>({ fitting: (queue) => Math.min(queue.length, MOST), send })
  return (load) => new Promise((resolve, reject) => gather({ load, resolve, reject }))
}
