import type { SqlRow } from '../sql/dialect.ts'
import type { Connections } from './connection/connection.ts'
import { kindOf } from './connection/failure.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { createGathering } from './gathering.ts'
import type { Member } from './member.ts'

/** An append that is ready to be sent. */
export interface Job {
  readonly member: Member
  /** How long it waits for its thread, if it is sent alone. */
  readonly patienceMs: number
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
 * G1  Nothing waits for company: an append is sent at once unless a batch is under way.
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
    bytes += job.member.data.length
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
  return (await send(run, [job], appendStatement(connections, [job.member], { patienceMs: job.patienceMs })))[0]!
}

function sendBatch(run: Run, connections: Connections, batch: readonly Waiting[]): Promise<SqlRow[]> {
  const jobs = batch.map(({ job }) => job)
  const members = jobs.map(({ member }) => member)
  return send(run, jobs, appendStatement(connections, members, { patienceMs: BATCH_PATIENCE_MS, together: true }))
}

async function send(run: Run, jobs: readonly Job[], [text, values]: AppendStatement): Promise<SqlRow[]> {
  for (const job of jobs) job.begun()
  for (const job of jobs) job.sending()
  const answer = run.kept(text, values)
  answer.catch(() => undefined)
  for (const job of jobs) job.written()
  return answer
}

/** SQL with its values. */
type AppendStatement = [text: string, values: readonly unknown[]]

/** The statement that makes appends, with a row for each. If they are made `together`, none of them waits for its thread. */
export function appendStatement(
  { place }: Connections,
  members: readonly Member[],
  { patienceMs, together = false }: { patienceMs: number; together?: boolean },
): AppendStatement {
  const json = `[${members.map((member) => member.json).join(',')}]`
  const [first, ...more] = members.map(({ data }) => data)
  return [
    `SELECT outcome FROM ${prefixOf(place.schema)}append_all($1, $2, $3, $4) AS outcome`,
    [json, more.length === 0 ? first : Buffer.concat([first!, ...more]), patienceMs, !together],
  ]
}
