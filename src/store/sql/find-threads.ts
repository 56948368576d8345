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
  const { after } = query
  return {
    query: {
      sql: `SELECT tenant, id FROM ${prefix}threads ${after ? 'WHERE (tenant, id) > (?, ?)' : ''} ORDER BY tenant, id LIMIT ?`,
      values: [...(after ? [after.tenantId, after.threadId] : []), limit + 1],
    },
    page: (rows) =>
      cutThreads(
        rows.map(({ tenant, id }) => ({ tenantId: tenant as string, threadId: id as string })),
        limit,
      ),
  }
}
