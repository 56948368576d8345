import type { ThreadPage, ThreadQuery } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import { cutThreads } from '../shared/threads.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'

/** The query for threads of all tenants. */
export interface ThreadPageQuery {
  readonly query: SqlQuery<string | number>
  page(rows: readonly SqlRow[]): ThreadPage
}

/** Plans the query, in the order of the unique index on ids. */
export function planThreads({ prefix }: Dialect, query: ThreadQuery = {}): ThreadPageQuery {
  const limit = pageLimit(query.limit)
  const { after, before } = query
  const isMeant = ({ at, erased_at }: SqlRow) => before === undefined || (erased_at === null && Number(at) < before)
  return {
    query: {
      sql: `SELECT tenant, id, at, erased_at FROM ${prefix}threads ${after ? 'WHERE (tenant, id) > (?, ?)' : ''} ORDER BY tenant, id LIMIT ?`,
      values: [...(after ? [after.tenantId, after.threadId] : []), limit + 1],
    },
    page(rows) {
      const toName = ({ tenant, id }: SqlRow) => ({ tenantId: tenant as string, threadId: id as string })
      const page = cutThreads(rows.map(toName), limit)
      // What is left out counts for the page, so that one page costs the same however few there are.
      return { ...page, threads: rows.slice(0, limit).filter(isMeant).map(toName) }
    },
  }
}
