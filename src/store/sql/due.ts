import type { DuePage, DueQuery } from '../../ports/store-lists.ts'
import { cutDue } from '../shared/due.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'

/** The deadline of an open request by its columns. */
export const DUE_BY_COLUMNS: Dialect['due'] = { at: 'expires_at', where: `status = 'open' AND expires_at IS NOT NULL` }

/** The index of due requests, since version 3. It holds only open requests with a deadline. */
export function createDueIndex(prefix: string, { at, where }: Dialect['due']): string {
  return `
CREATE INDEX requests_due ON ${prefix}requests (${at}, tenant, id) WHERE ${where};
`
}

/** The query for due requests of all tenants. */
export interface DuePageQuery<V> {
  readonly query: SqlQuery<V | string | number>
  page(rows: readonly SqlRow[]): DuePage
}

/** Plans the query. `clock` is an expression for the time. There is always at least one row, which carries it. */
export function planDue<V>(dialect: Dialect, clock: SqlQuery<V>, query: DueQuery = {}): DuePageQuery<V> {
  const limit = pageLimit(query.limit)
  const { after } = query
  const { at, where } = dialect.due
  return {
    query: {
      sql: `SELECT now.now, r.tenant, r.id, r.expires_at FROM (SELECT ${clock.sql} AS now) now
       LEFT JOIN (
         SELECT tenant, id, expires_at FROM ${dialect.prefix}requests ${dialect.use('requests_due')}
         WHERE ${where} ${after ? `AND (${at}, tenant, id) > (?, ?, ?)` : ''}
         ORDER BY ${at}, tenant, id LIMIT ?
       ) r ON 1 = 1
       ORDER BY r.expires_at, r.tenant, r.id`,
      values: [...clock.values, ...(after ? [after.expiresAt, after.tenantId, after.id] : []), limit + 1],
    },
    page(rows) {
      const dated = rows.flatMap(({ tenant, id, expires_at }) =>
        id === null ? [] : [{ tenantId: tenant as string, id: id as string, expiresAt: Number(expires_at) }],
      )
      return cutDue(dated, limit, Number(rows[0]!.now))
    },
  }
}
