import type { DuePage, DueQuery, RequestPage, RequestQuery } from '../../ports/store-lists.ts'
import { planDue } from '../sql/due.ts'
import { planPage } from '../sql/find-requests.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import type { Connection } from './connection.ts'
import { checkThreads, type View } from './read.ts'
import { SQLITE } from './schema.ts'

/** The due requests of all tenants. */
export function findDue(connection: Connection, query: DueQuery | undefined, now: number): DuePage {
  const plan = planDue(SQLITE, { sql: '?', values: [now] }, query)
  return plan.page(connection.statement(plan.query.sql).all(plan.query.values))
}

/** A page of requests from the highest id down. */
export function findRequests(view: View, query: RequestQuery): RequestPage {
  const { connection, tenant } = view
  const plan = planPage(SQLITE, tenant, query)
  const edge = plan.edge && (connection.statement(plan.edge.sql).get(plan.edge.values)?.id as string | undefined)
  const { sql, values } = plan.rows(edge)
  const pointed = createPointed(tenant, view.trust)
  const page = plan.page(connection.statement(sql).all(values), edge, pointed)
  checkThreads(view, pointed)
  return page
}
