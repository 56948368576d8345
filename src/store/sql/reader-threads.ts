import type { ReaderThreadPage, ReaderThreadQuery } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import { addReaders, type Conditions, type Value } from './request-plan.ts'

/** The query for threads with visible requests. */
export interface ReaderThreadPlan {
  readonly query: SqlQuery<Value>
  page(rows: readonly SqlRow[]): ReaderThreadPage
}

/** Plans the query. It walks down the requests of a tenant and takes each that is the newest visible one of its thread. */
export function planReaderThreads(dialect: Dialect, tenant: string, query: ReaderThreadQuery): ReaderThreadPlan {
  const limit = pageLimit(query.limit)
  const { prefix } = dialect
  const visible: Conditions = { sql: ['1 = 1'], values: [] }
  if (query.readers) addReaders(dialect, visible, query.readers)
  const seen = visible.sql.join(' AND ')
  const { cursor } = query
  return {
    query: {
      sql: `SELECT r.id, t.id AS thread, e.at,
        (SELECT count(*) FROM ${prefix}requests WHERE thread = r.thread AND status = 'open' AND ${seen}) AS open
      FROM (
        SELECT id, thread, coalesce(changed, opened) AS last FROM ${prefix}requests o
        WHERE tenant = ? ${cursor === undefined ? '' : 'AND id < ?'} AND ${seen} AND NOT EXISTS (
          SELECT 1 FROM ${prefix}requests WHERE thread = o.thread AND id > o.id AND ${seen})
        ORDER BY id DESC LIMIT ?
      ) r JOIN ${prefix}threads t ON t.no = r.thread JOIN ${prefix}entries e ON e.thread = r.thread AND e.seq = r.last
      ORDER BY r.id DESC`,
      values: [
        ...visible.values,
        tenant,
        ...(cursor === undefined ? [] : [cursor]),
        ...visible.values,
        ...visible.values,
        limit + 1,
      ],
    },
    page(rows) {
      const threads = rows.slice(0, limit).map(({ thread, open, at }) => ({
        threadId: thread as string,
        open: Number(open),
        lastAt: Number(at),
      }))
      return rows.length > limit ? { threads, next: rows[limit - 1]!.id as string } : { threads }
    },
  }
}
