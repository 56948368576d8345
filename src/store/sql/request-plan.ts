import type { RequestQuery } from '../../ports/store-lists.ts'
import { ANYBODY, idAt, readerIn, wordsOf } from '../shared/request-filter.ts'
import type { Dialect, SqlQuery } from './dialect.ts'

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
}

/** Adds a condition on one value. */
export function add(conditions: Conditions, sql: string, ...values: Value[]): void {
  conditions.sql.push(sql)
  conditions.values.push(...values)
}

/** Plans a query. Each index holds the columns that are compared, then the id: rows come in the order of the page. */
export function planRequests(dialect: Dialect, scope: Scope, query: RequestQuery): RequestPlan {
  const { prefix } = dialect
  const { status, threadId } = query
  const indexed: Conditions = { sql: [], values: [] }
  const filtered: Conditions = { sql: [], values: [] }
  let index = ''
  if (threadId !== undefined) {
    index = 'requests_thread'
    add(indexed, `thread = (SELECT no FROM ${prefix}threads WHERE tenant = ? AND id = ?)`, scope.tenant, threadId)
    if (status !== undefined && status !== 'closed') add(filtered, 'status = ?', status)
  } else {
    add(indexed, 'tenant = ?', scope.tenant)
    if (status !== undefined && status !== 'closed') {
      add(indexed, 'status = ?', status)
      const column = status === 'open' || dialect.indexesAllStatuses ? bestColumn(query) : undefined
      index = `requests_${column ?? 'status'}`
    }
  }
  if (status === 'closed') filtered.sql.push(`status <> 'open'`)
  for (const column of ['assignee', 'tool', 'agent'] as const) {
    const value = query[column]
    if (value !== undefined) add(index.endsWith(`_${column}`) ? indexed : filtered, `${column} = ?`, value)
  }
  addIdRange(indexed, query)
  addFilters(dialect, filtered, query)
  addPeople(filtered, scope, query)
  return { table: `${prefix}requests ${index === '' ? '' : dialect.use(index)}`, indexed, filtered }
}

function bestColumn(query: RequestQuery): 'assignee' | 'tool' | 'agent' | undefined {
  return (['assignee', 'tool', 'agent'] as const).find((column) => query[column] !== undefined)
}

function addIdRange(indexed: Conditions, { cursor, openedBefore, openedAfter }: RequestQuery): void {
  if (cursor !== undefined) add(indexed, 'id < ?', cursor)
  if (openedBefore !== undefined) add(indexed, 'id < ?', idAt(openedBefore))
  if (openedAfter !== undefined) add(indexed, 'id >= ?', idAt(openedAfter))
}

function addFilters(dialect: Dialect, filtered: Conditions, query: RequestQuery): void {
  const { questionId, kind, risk, readers, text } = query
  if (questionId !== undefined) add(filtered, 'question_id = ?', questionId)
  if (kind !== undefined) add(filtered, 'kind = ?', kind)
  if (risk !== undefined) add(filtered, 'risk = ?', risk)
  if (readers !== undefined) addReaders(dialect, filtered, readers)
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

/** An assignment in force counts; without one, the assignee whom the opener named. */
function addPeople(filtered: Conditions, { clock }: Scope, { assignedTo, notAssignedToOthers: person }: RequestQuery) {
  const holder = `CASE WHEN assigned_to IS NULL OR assigned_until <= ${clock.sql} THEN assignee ELSE assigned_to END`
  if (assignedTo !== undefined) add(filtered, `${holder} = ?`, ...clock.values, assignedTo)
  if (person !== undefined) add(filtered, `coalesce(${holder}, ?) = ?`, ...clock.values, person, person)
}
