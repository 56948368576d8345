import type { RequestQueue } from '../../ports/store-lists.ts'
import { StoreCorrupt } from '../../protocol/errors/errors.ts'
import { MOST_QUEUED } from '../shared/queue.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'

/** The order of the index. An expression, so that no planner takes it for the list of one tenant, through which it would be slow. */
const BY_AGE = `(id || ''), tenant`

/** The index of open requests of all tenants, oldest first. */
export function createQueueIndex({ prefix }: Dialect): string {
  return `
CREATE INDEX requests_queue ON ${prefix}requests (${BY_AGE}) WHERE status = 'open';
`
}

/** Plans the query for the queue. `clock` is an expression for the time. It has one row. */
export function planQueue<V>(dialect: Dialect, clock: SqlQuery<V>): SqlQuery<V> {
  const { prefix } = dialect
  const open = `${prefix}requests ${dialect.use('requests_queue')} WHERE status = 'open'`
  return {
    sql: `SELECT now.now, n.n, r.id, r.tenant, r.thread, r.opened, e.at FROM (SELECT ${clock.sql} AS now) now
     CROSS JOIN (SELECT count(*) AS n FROM (SELECT 1 FROM ${open} LIMIT ${MOST_QUEUED + 1}) q) n
     LEFT JOIN (SELECT id, tenant, thread, opened FROM ${open} ORDER BY ${BY_AGE} LIMIT 1) r ON 1 = 1
     LEFT JOIN ${prefix}entries e ON e.thread = r.thread AND e.seq = r.opened`,
    values: clock.values,
  }
}

/** The row of {@link planQueue}. Throws `StoreCorrupt` if the entry that opened the oldest request is missing. */
export function toQueue(row: SqlRow, store: string): RequestQueue {
  const { now, n, id, tenant, thread, opened, at } = row
  if (id !== null && at === null) {
    const place = { store, tenantId: tenant as string, threadId: `#${Number(thread)}`, seq: Number(opened) }
    throw new StoreCorrupt(place, `it is missing, and ${String(id)} points at it`)
  }
  return {
    open: Math.min(Number(n), MOST_QUEUED),
    more: Number(n) > MOST_QUEUED,
    oldestAt: id === null ? null : Number(at),
    now: Number(now),
  }
}
