import type { RequestPage, RequestQuery } from '../../ports/store.ts'
import { planPage } from '../sql/find-requests.ts'
import type { Connection } from './connection.ts'
import { SQLITE } from './schema.ts'

/** A page of requests from the highest id down. */
export function findRequests(connection: Connection, tenant: string, query: RequestQuery): RequestPage {
  const plan = planPage(SQLITE, tenant, query)
  const edge = plan.edge && (connection.statement(plan.edge.sql).get(plan.edge.values)?.id as string | undefined)
  const { sql, values } = plan.rows(edge)
  return plan.page(connection.statement(sql).all(values), edge)
}
