import type { RequestPage, RequestQuery } from '../../ports/store.ts'
import { pageLimit } from '../shared/page.ts'
import type { Connection } from './connection.ts'
import type { SqlValue } from './driver.ts'
import { STORED_COLUMNS, STORED_JOINS, toStored } from './requests.ts'

/** How many requests of a tenant one page may look at for filters that no index serves. */
const SCAN_WINDOW = 5000

/** Conditions with their values. */
interface Conditions {
  readonly sql: string[]
  readonly values: SqlValue[]
}

/** How a query is served: `indexed` conditions by the index, `filtered` ones by looking at each row. */
interface Plan {
  readonly index: string
  readonly indexed: Conditions
  readonly filtered: Conditions
}

/**
 * A page of requests from the highest id down; the cursor is an id. When filters are left that no index serves, at most
 * {@link SCAN_WINDOW} rows are looked at and the page may be short of its limit: `next` says that there is more to look at. A thread's
 * own requests are always looked at in full.
 */
export function findRequests(connection: Connection, tenant: string, query: RequestQuery): RequestPage {
  const limit = pageLimit(query.limit)
  const plan = planQuery(tenant, query)
  if (query.cursor !== undefined) add(plan.indexed, 'id < ?', query.cursor)
  const bounded = query.threadId === undefined && plan.filtered.sql.length > 0
  const edge = bounded ? windowEdge(connection, plan) : undefined
  if (edge !== undefined) add(plan.indexed, 'id >= ?', edge)

  const where = [...plan.indexed.sql, ...plan.filtered.sql].join(' AND ')
  const rows = connection
    .statement(
      `SELECT ${STORED_COLUMNS} FROM (
         SELECT * FROM requests ${plan.index} WHERE ${where} ORDER BY id DESC LIMIT ?
       ) r ${STORED_JOINS} ORDER BY r.id DESC`,
    )
    .all([...plan.indexed.values, ...plan.filtered.values, limit + 1])
  const requests = rows.slice(0, limit).map(toStored)
  const next = rows.length > limit ? requests.at(-1)!.id : edge
  return next === undefined ? { requests } : { requests, next }
}

/** Each index holds the columns that are compared, then the id: rows come in the order of the page. */
function planQuery(tenant: string, query: RequestQuery): Plan {
  const { status, threadId, ...columns } = query
  const indexed: Conditions = { sql: [], values: [] }
  const filtered: Conditions = { sql: [], values: [] }
  let index = ''
  if (threadId !== undefined) {
    index = 'INDEXED BY requests_thread'
    indexed.sql.push('thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?)')
    indexed.values.push(tenant, threadId)
    if (status !== undefined) add(filtered, 'status = ?', status)
  } else {
    add(indexed, 'tenant = ?', tenant)
    if (status !== undefined) {
      add(indexed, 'status = ?', status)
      index = `INDEXED BY requests_${bestColumn(query) ?? 'status'}`
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

/** The last id that this page looks at, if there are that many. */
function windowEdge(connection: Connection, { index, indexed }: Plan): string | undefined {
  const row = connection
    .statement(
      `SELECT id FROM requests ${index} WHERE ${indexed.sql.join(' AND ')} ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_WINDOW - 1}`,
    )
    .get([...indexed.values])
  return row?.id as string | undefined
}

function add(conditions: Conditions, sql: string, value: SqlValue): void {
  conditions.sql.push(sql)
  conditions.values.push(value)
}
