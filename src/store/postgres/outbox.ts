import type { OutboxPage, OutboxQuery, OutboxSubject } from '../../ports/outbox.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { outboxLimit } from '../shared/outbox.ts'
import type { SqlRow } from '../sql/dialect.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import type { StoreTime } from './time.ts'

/** A place in the outbox: the number of a transaction, and that of a row. Both are strings, since they may exceed a double. */
export interface OutboxPosition {
  readonly xid: string
  readonly no: string
}

/** Reads a position. `''` is the beginning. */
export function parsePosition(position: string): OutboxPosition {
  if (position === '') return { xid: '0', no: '0' }
  const [, xid, no] = /^(\d{1,20})\.(\d{1,18})$/.exec(position) ?? []
  if (xid === undefined || no === undefined) throw new InputInvalid('this is not a position in the outbox')
  return { xid, no }
}

/** Rows whose transaction is below this are complete: no earlier row can appear any more. */
const COMPLETE = 'pg_snapshot_xmin(pg_current_snapshot())'

/** Rows after a position. */
export async function readOutbox(run: Run, schema: string, query: OutboxQuery = {}): Promise<OutboxPage> {
  const limit = outboxLimit(query)
  const prefix = prefixOf(schema)
  if (query.after === undefined) {
    const [last] = await run(
      `SELECT xid, no FROM ${prefix}outbox WHERE xid < ${COMPLETE} ORDER BY xid DESC, no DESC LIMIT 1`,
    )
    return { rows: [], end: last ? positionOf(last) : await prunedEnd(run, prefix), missed: false }
  }
  const { xid, no } = parsePosition(query.after)
  const { tenantId } = query
  // One statement, so that what was deleted and what is left are of the same moment. Its plan is kept, so each thread is looked up by itself: a plan that
  // was made for an empty table could join all threads.
  const found = await run.kept(
    `SELECT p.missed, o.xid, o.no, o.tenant, (SELECT t.id FROM ${prefix}threads t WHERE t.no = o.thread) AS thread, o.subject, o.id, o.what, o.version, o.at
     FROM (SELECT (xid, no) > ($1::xid8, $2::bigint) OR $1::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) AS missed
       FROM ${prefix}outbox_pruned) p
     LEFT JOIN (SELECT * FROM ${prefix}outbox WHERE ${tenantId === undefined ? '' : 'tenant = $4 AND '}(xid, no) > ($1::xid8, $2::bigint) AND xid < ${COMPLETE}
       ORDER BY xid, no LIMIT $3) o ON true
     ORDER BY o.xid, o.no`,
    [xid, no, limit, ...(tenantId === undefined ? [] : [tenantId])],
  )
  const rows = found.filter((row) => row.no !== null).map(toRow)
  const missed = found[0]?.missed === 't'
  if (rows.length > 0) return { rows, end: rows.at(-1)!.position, missed }
  return { rows, end: missed ? (await readOutbox(run, schema)).end : query.after, missed }
}

async function prunedEnd(run: Run, prefix: string): Promise<string> {
  const [row] = await run(`SELECT xid, no FROM ${prefix}outbox_pruned`)
  return row ? positionOf(row) : ''
}

/** Whether there are rows after a position, and whether some can only be read later. */
export async function lookAtOutbox(
  run: Run,
  schema: string,
  { xid, no }: OutboxPosition,
): Promise<{ ready: boolean; held: boolean }> {
  const [row] = await run.kept(
    `SELECT min(xid) < ${COMPLETE} AS ready, count(*) > 0 AS held
     FROM (SELECT xid FROM ${prefixOf(schema)}outbox WHERE (xid, no) > ($1::xid8, $2::bigint) ORDER BY xid, no LIMIT 1) o`,
    [xid, no],
  )
  return { ready: row?.ready === 't', held: row?.held === 't' }
}

/** So many rows of the outbox are looked at in one transaction. */
const PRUNED_AT_ONCE = 1000

/**
 * Deletes old rows and expired records. It looks at the oldest rows, a thousand at a time, as long as it finds any to delete: with nothing to do it
 * reads no more than that, however many there are.
 */
export async function prune(
  run: Run,
  schema: string,
  { time, outboxMs }: { time: StoreTime; outboxMs: number },
): Promise<void> {
  const prefix = prefixOf(schema)
  const clock = `${prefix}clock_ms($1, $2)`
  // Rows of a transaction that has not begun yet come from another server, whose data was restored here: their order means nothing any more.
  await run(`DELETE FROM ${prefix}outbox WHERE xid > pg_current_xact_id()`, [])
  const oldest = `SELECT ctid FROM ${prefix}outbox WHERE xid < ${COMPLETE} ORDER BY xid, no LIMIT ${PRUNED_AT_ONCE}`
  const deleteOldest = `WITH gone AS (DELETE FROM ${prefix}outbox WHERE ctid = ANY (ARRAY(${oldest})) AND at < ${clock} - $3::bigint RETURNING xid, no),
     last AS (SELECT xid, no FROM gone ORDER BY xid DESC, no DESC LIMIT 1)
     UPDATE ${prefix}outbox_pruned p SET xid = last.xid, no = last.no FROM last WHERE (last.xid, last.no) > (p.xid, p.no) RETURNING 1`
  while ((await run(deleteOldest, [...time.values(), outboxMs])).length > 0);
  const expired = `SELECT ctid FROM ${prefix}records WHERE expires_at <= (SELECT ${clock}) ORDER BY expires_at LIMIT ${PRUNED_AT_ONCE}`
  const deleteExpired = `DELETE FROM ${prefix}records WHERE ctid = ANY (ARRAY(${expired})) AND expires_at <= ${clock} RETURNING 1`
  while ((await run(deleteExpired, time.values())).length > 0);
}

function positionOf({ xid, no }: SqlRow): string {
  return `${xid as string}.${no as string}`
}

function toRow(row: SqlRow): OutboxPage['rows'][number] {
  return {
    position: positionOf(row),
    tenantId: row.tenant as string,
    threadId: row.thread as string,
    subject: row.subject as OutboxSubject,
    id: row.id as string,
    what: row.what as string,
    version: Number(row.version),
    at: Number(row.at),
  }
}
