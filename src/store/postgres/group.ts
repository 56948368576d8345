import type { SqlRow } from '../sql/dialect.ts'
import type { Connections } from './connection/connection.ts'
import { kindOf } from './connection/failure.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { numberedParameters, toMember } from './functions/append-parameters.ts'
import { createGathering } from './gathering.ts'

/** An append that is ready to be sent. */
export interface Job {
  /** The values of the parameters of `append`. */
  readonly values: readonly unknown[]
  /** The size of its entries, roughly in bytes. */
  readonly size: number
  /** A connection is available. */
  begun(): void
  /** Called before sending: from then on the append may be stored even if no answer comes. */
  sending(): void
  /** It was sent. */
  written(): void
}

/**
 * The group commit: appends that wait are sent together, with one statement and one transaction.
 *
 * G1  Nothing waits for company: an append is sent at once unless enough statements are under way.
 * G2  An append is answered as if it were alone. If a batch is refused as a whole, or the thread of an append is locked, it is sent alone.
 * G3  If no answer comes to a batch, each of its appends gets that error, and settles its own outcome.
 * G4  Whoever waits for a lock holds up nobody else for long.
 */
export interface Group {
  /** The row that `append` answers. At most one append of a thread at a time. */
  send(job: Job): Promise<SqlRow>
}

/** The most appends of a batch. */
const MOST = 64

/** The most bytes of a batch, unless it is a single append. */
const MOST_BYTES = 262_144

/** The lock timeout of a batch. */
const BATCH_PATIENCE_MS = 50

interface Waiting {
  readonly job: Job
  resolve(row: SqlRow): void
  reject(error: unknown): void
}

/** A group with nothing under way. */
export function createGroup(connections: Connections): Group {
  const gather = createGathering<Waiting>({ fitting, send: (batch) => sendAll(connections, batch) })
  return {
    send: (job) => new Promise((resolve, reject) => gather({ job, resolve, reject })),
  }
}

/** How many of the first appends of a queue make a batch. */
function fitting(queue: readonly Waiting[]): number {
  let bytes = 0
  const end = queue.findIndex(({ job }, index) => {
    bytes += job.size
    return index > 0 && (index >= MOST || bytes > MOST_BYTES)
  })
  return end < 0 ? queue.length : end
}

/** Settles every append of a batch. Never rejects. */
async function sendAll(connections: Connections, batch: readonly Waiting[]): Promise<void> {
  const [first, ...more] = batch
  if (more.length === 0) return settle(connections, first!)
  let rows: SqlRow[]
  try {
    rows = await connections.use((run) => sendBatch(run, connections, batch))
  } catch (error) {
    if (kindOf(error) === 'unknown') for (const { reject } of batch) reject(error)
    else await Promise.all(batch.map((waiting) => settle(connections, waiting)))
    return
  }
  const locked = batch.filter(({ resolve }, index) => {
    const row = rows[index]!
    if (row.outcome !== null) resolve(row)
    return row.outcome === null
  })
  // They wait for their locks without the batch.
  for (const waiting of locked) void settle(connections, waiting)
}

async function settle(connections: Connections, { job, resolve, reject }: Waiting): Promise<void> {
  try {
    resolve(await connections.use((run) => sendAlone(run, connections, job)))
  } catch (error) {
    reject(error)
  }
}

/** Sends one append: a statement that is a transaction of its own. */
export async function sendAlone(run: Run, connections: Connections, job: Job): Promise<SqlRow> {
  job.begun()
  job.sending()
  const answer = run.kept(appendStatement(connections), job.values)
  answer.catch(() => undefined)
  job.written()
  return (await answer)[0]!
}

async function sendBatch(run: Run, { place }: Connections, batch: readonly Waiting[]): Promise<SqlRow[]> {
  for (const { job } of batch) job.begun()
  const members = JSON.stringify(batch.map(({ job }) => toMember(job.values)))
  for (const { job } of batch) job.sending()
  const answer = run.kept(`SELECT outcome FROM ${prefixOf(place.schema)}append_each($1, $2) AS outcome`, [
    members,
    BATCH_PATIENCE_MS,
  ])
  answer.catch(() => undefined)
  for (const { job } of batch) job.written()
  return answer
}

/** The statement that makes one append. */
export function appendStatement({ place }: Connections): string {
  return `SELECT ${prefixOf(place.schema)}append(${numberedParameters()}) AS outcome`
}
