import type {
  DuePage,
  DueQuery,
  ReaderThreadPage,
  ReaderThreadQuery,
  RequestCount,
  RequestCountQuery,
  RequestPage,
  RequestQuery,
  RequestQueue,
} from '../../ports/store-lists.ts'
import { countLimit } from '../shared/request-filter.ts'
import { planDue } from '../sql/due.ts'
import { planCount, planPage, toCount } from '../sql/find-requests.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import { planQueue, toQueue } from '../sql/queue.ts'
import { planReaderThreads } from '../sql/reader-threads.ts'
import type { Scope } from '../sql/request-plan.ts'
import type { Connection } from './connection/connection.ts'
import { checkThreads, type View } from './read.ts'
import { SQLITE } from './tables/schema.ts'

/** The due requests of all tenants. */
export function findDue(connection: Connection, query: DueQuery | undefined, now: number): DuePage {
  const plan = planDue(SQLITE, { sql: '?', values: [now] }, query)
  return plan.page(connection.statement(plan.query.sql).all(plan.query.values))
}

/** The open requests of all tenants. */
export function readQueue(connection: Connection, store: string, now: number): RequestQueue {
  const { sql, values } = planQueue(SQLITE, { sql: '?', values: [now] })
  return toQueue(connection.statement(sql).get([...values])!, store)
}

function scopeOf({ tenant }: View, now: number): Scope {
  return { tenant, clock: { sql: '?', values: [now] } }
}

/** A page of requests, newest first. */
export function findRequests(view: View, query: RequestQuery, now: number): RequestPage {
  const { connection, tenant } = view
  const plan = planPage(SQLITE, scopeOf(view, now), query)
  const edge = plan.edge && plan.toEdge(connection.statement(plan.edge.sql).get(plan.edge.values))
  const { sql, values } = plan.rows(edge)
  const pointed = createPointed(tenant, view.trust)
  const page = plan.page(connection.statement(sql).all(values), edge, pointed)
  checkThreads(view, pointed)
  return page
}

/** Counts requests up to a limit. */
export function countRequests(
  view: View,
  { stopAt, ...query }: RequestCountQuery & { stopAt: number | undefined },
  now: number,
): RequestCount {
  const limit = countLimit(stopAt)
  const { sql, values } = planCount(SQLITE, scopeOf(view, now), { ...query, limit })
  return toCount(view.connection.statement(sql).get(values), limit)
}

/** A page of threads by their newest visible request. */
export function findReaderThreads({ connection, tenant }: View, query: ReaderThreadQuery): ReaderThreadPage {
  const plan = planReaderThreads(SQLITE, tenant, query)
  return plan.page(connection.statement(plan.query.sql).all(plan.query.values))
}
