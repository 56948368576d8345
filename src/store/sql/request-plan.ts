import type { RequestQuery } from '../../ports/store-lists.ts'
import { ANYBODY, afterAll, idAt, parseChangedCursor, readerIn, wordsOf } from '../shared/request-filter.ts'
import { type Dialect, placeholders, type SqlQuery } from './dialect.ts'

/** The values that queries for requests bind. */
export type Value = string | number

/** Conditions with their values. */
export interface Conditions {
  readonly sql: string[]
  readonly values: Value[]
}

/** The tenant to look at, and an expression for the time. */
export interface Scope {
  readonly tenant: string
  readonly clock: SqlQuery<Value>
}

/** How a query is served: `indexed` conditions by the index, `filtered` ones by checking each row. */
export interface RequestPlan {
  /** The table with the index that it must use. */
  readonly table: string
  readonly indexed: Conditions
  readonly filtered: Conditions
  /** The columns that order a page, highest first. The index has them in this order. */
  readonly order: readonly string[]
}

/** Adds a condition on one value. */
function add(conditions: Conditions, sql: string, ...values: Value[]): void {
  conditions.sql.push(sql)
  conditions.values.push(...values)
}

/** Plans a query. Each index holds the columns that are compared, then those of the order: rows come in the order of the page. */
export function planRequests(dialect: Dialect, scope: Scope, query: RequestQuery): RequestPlan {
  const { prefix } = dialect
  const indexed: Conditions = { sql: [], values: [] }
  const filtered: Conditions = { sql: [], values: [] }
  const index = indexOf(dialect, query)
  if (index === BY_THREAD) addThreads(dialect, indexed, { tenant: scope.tenant, ...query })
  else add(indexed, `${index === 'requests_changed' ? dialect.byChange.tenant : 'tenant'} = ?`, scope.tenant)
  addStatus(STATUS_FIRST.includes(index) ? indexed : filtered, query)
  for (const column of ['assignee', 'tool', 'agent'] as const) {
    const value = query[column]
    if (value !== undefined) add(index === `requests_${column}` ? indexed : filtered, `${column} = ?`, value)
  }
  const order = query.order === 'changed' ? ['changed_at', dialect.byChange.id] : BY_ID
  if (query.cursor !== undefined) addBound(indexed, { order, op: '<', values: placeOf(order, query.cursor) })
  addIdRange(order === BY_ID ? indexed : filtered, query)
  addFilters(dialect, filtered, query)
  addPeople(filtered, scope, query)
  return { table: `${prefix}requests ${index === PRIMARY ? '' : dialect.use(index)}`, indexed, filtered, order }
}

const BY_ID = ['id'] as const

/** Indexes that begin with the status, or hold only open requests. */
const STATUS_FIRST = ['requests_status', 'requests_assignee', 'requests_tool', 'requests_agent', 'requests_readers']

const BY_THREAD = 'requests_thread'

/** Whether a query names threads. Their requests are found by an index, however many others there are. */
export function namesThreads({ threadId, threadsUnder }: RequestQuery): boolean {
  return threadId !== undefined || threadsUnder !== undefined
}

function addThreads(
  { prefix }: Dialect,
  conditions: Conditions,
  { tenant, threadId, threadsUnder = [] }: RequestQuery & { tenant: string },
): void {
  const of = (condition: string) => `SELECT no FROM ${prefix}threads WHERE tenant = ? AND ${condition}`
  if (threadId !== undefined && threadsUnder.length === 0)
    return add(conditions, `thread = (${of('id = ?')})`, tenant, threadId)
  const own = threadId === undefined ? [] : [{ sql: of('id = ?'), values: [tenant, threadId] }]
  const under = threadsUnder.map((start) => ({
    sql: of('id >= ? AND id < ?'),
    values: [tenant, start, afterAll(start)],
  }))
  const all = [...own, ...under]
  if (all.length === 0) return add(conditions, '1 = 0')
  const threads = all.map(({ sql }) => sql).join(' UNION ALL ')
  add(conditions, `thread IN (${threads})`, ...all.flatMap(({ values }) => values))
}

/** Stands for the primary key. */
const PRIMARY = ''

/** The index that serves a query. */
function indexOf(dialect: Dialect, query: RequestQuery): string {
  const { status, order, readers, satisfiedBy } = query
  if (namesThreads(query)) return BY_THREAD
  if (order === 'changed') return 'requests_changed'
  if (status === undefined || status === 'closed') return PRIMARY
  const column = (['assignee', 'tool', 'agent'] as const).find((name) => query[name] !== undefined)
  if (column && (status === 'open' || dialect.indexesAllStatuses)) return `requests_${column}`
  return status === 'open' && (readers || satisfiedBy) ? 'requests_readers' : 'requests_status'
}

function addStatus(conditions: Conditions, { status }: RequestQuery): void {
  if (status === 'closed') conditions.sql.push(`status <> 'open'`)
  // Partial indexes serve only a literal.
  else if (status === 'open') conditions.sql.push(`status = 'open'`)
  else if (status !== undefined) add(conditions, 'status = ?', status)
}

/** Adds a bound on the columns of an order. */
export function addBound(
  conditions: Conditions,
  { order, op, values }: { order: readonly string[]; op: '<' | '>='; values: readonly Value[] },
): void {
  add(conditions, `(${order.join(', ')}) ${op} (${placeholders(order.length)})`, ...values)
}

/** The values of an order's columns at a cursor. */
function placeOf(order: readonly string[], cursor: string): Value[] {
  if (order === BY_ID) return [cursor]
  const { at, id } = parseChangedCursor(cursor)
  return [at, id]
}

function addIdRange(conditions: Conditions, { openedBefore, openedAfter }: RequestQuery): void {
  if (openedBefore !== undefined) add(conditions, 'id < ?', idAt(openedBefore))
  if (openedAfter !== undefined) add(conditions, 'id >= ?', idAt(openedAfter))
}

function addFilters(dialect: Dialect, filtered: Conditions, query: RequestQuery): void {
  const { questionId, kind, risk, readers, satisfiedBy, text } = query
  if (questionId !== undefined) add(filtered, 'question_id = ?', questionId)
  if (kind !== undefined) add(filtered, 'kind = ?', kind)
  if (risk !== undefined) add(filtered, 'risk = ?', risk)
  if (readers !== undefined) addReaders(dialect, filtered, readers)
  if (satisfiedBy !== undefined) addSatisfied(dialect, filtered, satisfiedBy)
  for (const word of wordsOf(text ?? '')) add(filtered, dialect.contains('text'), word)
}

/** Adds the condition that a request is for one of these readers. */
export function addReaders(dialect: Dialect, filtered: Conditions, readers: readonly string[]): void {
  const each = readers.map((reader) =>
    reader === ANYBODY ? ['readers = ?', ANYBODY] : [dialect.contains('readers'), readerIn(reader)],
  )
  if (each.length === 0) filtered.sql.push('1 = 0')
  else add(filtered, `(${each.map(([sql]) => sql).join(' OR ')})`, ...each.map(([, value]) => value!))
}

/** Adds the condition that each reviewer list of a request has one of these names. */
function addSatisfied(dialect: Dialect, filtered: Conditions, names: readonly string[]): void {
  const named: Conditions = { sql: [], values: [] }
  addReaders(dialect, named, names)
  const each = names.length === 0 ? '1 = 0' : dialect.eachHasOne('lists', names.length)
  const sql = `(readers = '${ANYBODY}' OR (${named.sql.join()} AND (lists IS NULL OR ${each})))`
  add(filtered, sql, ...named.values, ...names)
}

/** An assignment in force counts; without one, the assignee whom the opener named. */
function addPeople(filtered: Conditions, { clock }: Scope, { assignedTo, notAssignedToOthers: person }: RequestQuery) {
  const holder = `CASE WHEN assigned_to IS NULL OR assigned_until <= ${clock.sql} THEN assignee ELSE assigned_to END`
  if (assignedTo !== undefined) add(filtered, `${holder} = ?`, ...clock.values, assignedTo)
  if (person !== undefined) add(filtered, `coalesce(${holder}, ?) = ?`, ...clock.values, person, person)
}
