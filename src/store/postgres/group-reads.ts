import type { Connections } from './connection/connection.ts'
import { isUnreachable } from './connection/failure.ts'
import type { Run } from './connection/run.ts'
import { createGathering } from './gathering.ts'

/** The most queries of a batch: an answer is kept in memory as a whole. */
const MOST = 16

interface Waiting<Query, Found> {
  readonly query: Query
  resolve(found: Found): void
  reject(error: unknown): void
}

/**
 * Sends queries that wait together, with one statement: with many threads under way, round trips cost more than what they read. What is found is at
 * least as new as the call. If a batch is refused as a whole, each is sent alone. `read` answers queries with one statement, in order.
 */
export function groupReads<Query, Found>(
  connections: Connections,
  read: (run: Run, queries: readonly Query[]) => Promise<readonly Found[]>,
): (query: Query) => Promise<Found> {
  async function send(batch: readonly Waiting<Query, Found>[]): Promise<void> {
    try {
      const queries = batch.map(({ query }) => query)
      const found = await connections.use((run) => read(run, queries))
      for (const [index, { resolve }] of batch.entries()) resolve(found[index]!)
    } catch (error) {
      if (batch.length > 1 && !isUnreachable(error)) await Promise.all(batch.map((waiting) => send([waiting])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const gather = createGathering<Waiting<Query, Found>>({ fitting: (queue) => Math.min(queue.length, MOST), send })
  return (query) => new Promise((resolve, reject) => gather({ query, resolve, reject }))
}
