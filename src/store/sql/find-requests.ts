import type { RequestPage, RequestQuery } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import type { PointedEntries } from './pointed-entry.ts'
import { storedColumns, storedJoins, toStored } from './stored-request.ts'

/** How many requests of a tenant one page may look at for filters that no index serves. */
const SCAN_WINDOW = 5000

/** The values that queries for requests bind. */
type Value = string | number

/** Conditions with their values. */
interface Conditions {
  readonly sql: string[]
  readonly values: Value[]
}

/** How a query is served: `indexed` conditions by the index, `filtered` ones by checking each row. */
interface Plan {
  readonly index: string
  readonly indexed: Conditions
  readonly filtered: Conditions
}

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
export function planPage(dialect: Dialect, tenant: string, query: RequestQuery): PageQuery {
  const limit = pageLimit(query.limit)
  const plan = planQuery(dialect, tenant, query)
  const table = `${dialect.prefix}requests ${plan.index === '' ? '' : dialect.use(plan.index)}`
  if (query.cursor !== undefined) add(plan.indexed, 'id < ?', query.cursor)
  const bounded = query.threadId === undefined && plan.filtered.sql.length > 0
  return {
    edge: bounded ? windowEdge(table, plan.indexed) : undefined,
    rows(edge) {
      const within: Conditions = { sql: [...plan.indexed.sql], values: [...plan.indexed.values] }
      if (edge !== undefined) add(within, 'id >= ?', edge)
      const where = [...within.sql, ...plan.filtered.sql].join(' AND ')
      return {
        sql: `SELECT ${storedColumns(dialect)} FROM (
         SELECT * FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ?
       ) r ${storedJoins(dialect)} ORDER BY r.id DESC`,
        values: [...within.values, ...plan.filtered.values, limit + 1],
      }
    },
    page(rows, edge, pointed) {
      const requests = rows.slice(0, limit).map((row) => toStored(row, pointed))
      const next = rows.length > limit ? requests.at(-1)!.id : edge
      return next === undefined ? { requests } : { requests, next }
    },
  }
}

/** Each index holds the columns that are compared, then the id: rows come in the order of the page. */
function planQuery({ prefix }: Dialect, tenant: string, query: RequestQuery): Plan {
  const { status, threadId, ...columns } = query
  const indexed: Conditions = { sql: [], values: [] }
  const filtered: Conditions = { sql: [], values: [] }
  let index = ''
  if (threadId !== undefined) {
    index = 'requests_thread'
    indexed.sql.push(`thread = (SELECT no FROM ${prefix}threads WHERE tenant = ? AND id = ?)`)
    indexed.values.push(tenant, threadId)
    if (status !== undefined) add(filtered, 'status = ?', status)
  } else {
    add(indexed, 'tenant = ?', tenant)
    if (status !== undefined) {
      add(indexed, 'status = ?', status)
      index = `requests_${bestColumn(query) ?? 'status'}`
    }
  }
  for (const column of ['assignee', 'tool', 'agent'] as const) {
    const value = columns[column]
    if (value !== undefined) add(index.endsWith(`_${column}`) ? indexed : filtered, `${column} = ?`, value)
  }
  if (query.questionId !== undefined) add(filtered, 'question_id = ?', query.questionId)
  return { index, indexed, filtered }
}

function bestColumn(query: RequestQuery): 'assignee' | 'tool' | 'agent' | undefined {
  return (['assignee', 'tool', 'agent'] as const).find((column) => query[column] !== undefined)
}

function windowEdge(table: string, { sql, values }: Conditions): SqlQuery<Value> {
  const where = sql.join(' AND ')
  return {
    sql: `SELECT id FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_WINDOW - 1}`,
    values: [...values],
  }
}

function add(conditions: Conditions, sql: string, value: Value): void {
  conditions.sql.push(sql)
  conditions.values.push(value)
}
