import type { RequestCount, RequestPage, RequestQuery } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import type { PointedEntries } from './pointed-entry.ts'
import { add, type Conditions, planRequests, type Scope, type Value } from './request-plan.ts'
import { storedColumns, storedJoins, toStored } from './stored-request.ts'

/** How many requests of a tenant one page may look at for filters that no index serves. */
const SCAN_WINDOW = 5000

/**
 * A page of requests from the highest id down; the cursor is an id. If a filter is not served by an index, at most {@link SCAN_WINDOW} rows are
 * scanned, and the page may be shorter than its limit: `next` says that there is more to scan. The requests of one thread are always scanned in full.
 */
export interface PageQuery {
  /** Finds the last id (`id`) that this page scans, if there are that many rows. `undefined`: it scans all. */
  readonly edge: SqlQuery<Value> | undefined
  /** Finds the rows, given the edge. */
  rows(edge: string | undefined): SqlQuery<Value>
  /** Builds the page from those rows. */
  page(rows: readonly SqlRow[], edge: string | undefined, pointed: PointedEntries): RequestPage
}

/** Plans the queries for a page. */
export function planPage(dialect: Dialect, scope: Scope, query: RequestQuery): PageQuery {
  const limit = pageLimit(query.limit)
  const { table, indexed, filtered } = planRequests(dialect, scope, query)
  const bounded = query.threadId === undefined && filtered.sql.length > 0
  return {
    edge: bounded ? windowEdge(table, indexed) : undefined,
    rows(edge) {
      const within: Conditions = { sql: [...indexed.sql], values: [...indexed.values] }
      if (edge !== undefined) add(within, 'id >= ?', edge)
      const where = [...within.sql, ...filtered.sql].join(' AND ')
      return {
        sql: `SELECT ${storedColumns(dialect, scope.clock.sql)} FROM (
         SELECT * FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ?
       ) r ${storedJoins(dialect)} ORDER BY r.id DESC`,
        values: [...scope.clock.values, ...within.values, ...filtered.values, limit + 1],
      }
    },
    page(rows, edge, pointed) {
      const requests = rows.slice(0, limit).map((row) => toStored(row, pointed))
      const next = rows.length > limit ? requests.at(-1)!.id : edge
      return next === undefined ? { requests } : { requests, next }
    },
  }
}

/** Plans the count of requests up to a limit. */
export function planCount(dialect: Dialect, scope: Scope, query: RequestQuery & { limit: number }): SqlQuery<Value> {
  const { table, indexed, filtered } = planRequests(dialect, scope, query)
  const where = [...indexed.sql, ...filtered.sql].join(' AND ')
  return {
    sql: `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ?) r`,
    values: [...indexed.values, ...filtered.values, query.limit + 1],
  }
}

/** The row of {@link planCount}. */
export function toCount(row: SqlRow | undefined, limit: number): RequestCount {
  const found = Number(row?.n)
  return { count: Math.min(found, limit), more: found > limit }
}

function windowEdge(table: string, { sql, values }: Conditions): SqlQuery<Value> {
  const where = sql.join(' AND ')
  return {
    sql: `SELECT id FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_WINDOW - 1}`,
    values: [...values],
  }
}
