import type { OutboxPage, OutboxQuery, OutboxSubject } from '../../ports/outbox.ts'
import { outboxLimit, rowNumber } from '../shared/outbox.ts'
import type { SqlRow } from '../sql/dialect.ts'
import type { Connection } from './connection/connection.ts'

/** The number of the last row of the outbox. */
export function readOutboxEnd(connection: Connection): number {
  return (connection.list('SELECT max(no) AS no FROM outbox').get([])?.[0] as number | null) ?? 0
}

/** Rows after a position. Numbers have no gaps, so an oldest row that is not the next one says that some were deleted. */
export function readOutbox(connection: Connection, query: OutboxQuery = {}): OutboxPage {
  const limit = outboxLimit(query)
  const last = readOutboxEnd(connection)
  if (query.after === undefined) return { rows: [], end: String(last), missed: false }
  const after = rowNumber(query.after)
  const { tenantId } = query
  const [table, condition, values] =
    tenantId === undefined
      ? ['outbox o', '', []]
      : ['outbox o INDEXED BY outbox_tenant', 'o.tenant = ? AND', [tenantId]]
  const found = connection
    .statement(
      `SELECT o.no, o.tenant, t.id AS thread, o.subject, o.id, o.what, o.version, o.at
       FROM ${table} JOIN threads t ON t.no = o.thread WHERE ${condition} o.no > ? ORDER BY o.no LIMIT ?`,
    )
    .all([...values, after, limit])
  const oldest = connection.list('SELECT min(no) FROM outbox').get([])?.[0] as number | null | undefined
  const missed = after > last || (oldest ?? 0) > after + 1
  const read = (found.at(-1)?.no as number | undefined) ?? 0
  return { rows: found.map(toRow), end: String(found.length === limit ? read : Math.max(read, last)), missed }
}

function toRow({ no, tenant, thread, subject, id, what, version, at }: SqlRow): OutboxPage['rows'][number] {
  return {
    position: String(no),
    tenantId: tenant as string,
    threadId: thread as string,
    subject: subject as OutboxSubject,
    id: id as string,
    what: what as string,
    version: version as number,
    at: at as number,
  }
}

/** Deletes old rows and expired records. The last row stays, so that no number is given twice. Call it inside a write transaction. */
export function prune(connection: Connection, { now, before }: { now: number; before: number }): void {
  connection
    .statement(
      `DELETE FROM outbox WHERE no < coalesce(
        (SELECT no FROM outbox WHERE at >= ? ORDER BY no LIMIT 1), (SELECT max(no) FROM outbox))`,
    )
    .run([before])
  connection.statement('DELETE FROM records WHERE expires_at <= ?').run([now])
}
