import type { RequestCount, RequestPage, RequestQuery, StoredRequest } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import type { PointedEntries } from './pointed-entry.ts'
import {
  addBound,
  type Conditions,
  namesThreads,
  planRequests,
  type RequestPlan,
  type Scope,
  type Value,
} from './request-plan.ts'
import { storedColumns, storedJoins, toStored } from './stored-request.ts'

/** How many requests of a tenant one page may look at for filters that no index serves. */
const SCAN_WINDOW = 5000

/** The place of a row in the order of a page. */
type Edge = readonly Value[]

/**
 * A page of requests, highest first. If a filter is not served by an index, at most {@link SCAN_WINDOW} rows are scanned, and the page may be shorter
 * than its limit: `next` says that there is more to scan. The requests of threads that are named are always scanned in full.
 */
export interface PageQuery {
  /** Finds the last row that this page scans, if there are that many. `undefined`: it scans all. */
  readonly edge: SqlQuery<Value> | undefined
  /** The row of `edge`. */
  toEdge(row: SqlRow | undefined): Edge | undefined
  /** Finds the rows, given the edge. */
  rows(edge: Edge | undefined): SqlQuery<Value>
  /** Builds the page from those rows. */
  page(rows: readonly SqlRow[], edge: Edge | undefined, pointed: PointedEntries): RequestPage
}

/** Plans the queries for a page. */
export function planPage(dialect: Dialect, scope: Scope, query: RequestQuery): PageQuery {
  const limit = pageLimit(query.limit)
  const plan = planRequests(dialect, scope, query)
  const { table, indexed, filtered, order } = plan
  const bounded = !namesThreads(query) && filtered.sql.length > 0
  const byChange = query.order === 'changed'
  return {
    edge: bounded ? windowEdge(plan) : undefined,
    toEdge: (row) => row && (byChange ? [Number(row.changed_at), row.id as string] : [row.id as string]),
    rows(edge) {
      const within: Conditions = { sql: [...indexed.sql], values: [...indexed.values] }
      if (edge) addBound(within, { order, op: '>=', values: edge })
      const where = [...within.sql, ...filtered.sql].join(' AND ')
      return {
        sql: `SELECT ${storedColumns(dialect, scope.clock.sql)} FROM (
         SELECT * FROM ${table} WHERE ${where} ORDER BY ${descending(order)} LIMIT ?
       ) r ${storedJoins(dialect)} ORDER BY ${descending(byChange ? ['r.changed_at', 'r.id'] : ['r.id'])}`,
        values: [...scope.clock.values, ...within.values, ...filtered.values, limit + 1],
      }
    },
    page(rows, edge, pointed) {
      const requests = rows.slice(0, limit).map((row) => toStored(row, pointed))
      const last = rows.length > limit ? placeOf(requests.at(-1)!, byChange) : edge
      return last === undefined ? { requests } : { requests, next: last.join('.') }
    },
  }
}

function placeOf({ id, changed, opened }: StoredRequest, byChange: boolean): Edge {
  return byChange ? [(changed ?? opened).at, id] : [id]
}

function descending(columns: readonly string[]): string {
  return columns.map((column) => `${column} DESC`).join(', ')
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

function windowEdge({ table, indexed: { sql, values }, order }: RequestPlan): SqlQuery<Value> {
  return {
    sql: `SELECT ${order.length === 1 ? 'id' : 'changed_at, id'} FROM ${table} WHERE ${sql.join(' AND ')} ORDER BY ${descending(order)} LIMIT 1 OFFSET ${SCAN_WINDOW - 1}`,
    values: [...values],
  }
}
