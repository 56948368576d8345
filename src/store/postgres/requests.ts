import type { DuePage, DueQuery, RequestPage, RequestQuery, StoredRequest } from '../../ports/store.ts'
import type { SqlQuery } from '../sql/dialect.ts'
import { planDue } from '../sql/due.ts'
import { planPage } from '../sql/find-requests.ts'
import { selectRequest, toStored } from '../sql/stored-request.ts'
import type { Run } from './connection.ts'
import { prefixOf } from './place.ts'
import type { View } from './read.ts'
import { dialectOf, numbered } from './schema.ts'
import type { StoreTime } from './time.ts'

/** One request by its id. */
export async function getRequest(run: Run, { schema, tenant }: View, id: string): Promise<StoredRequest | undefined> {
  const [row] = await run(numbered(selectRequest(dialectOf(schema))), [tenant, id])
  return row && toStored(row)
}

/** A page of requests from the highest id down. */
export async function findRequests(run: Run, { schema, tenant }: View, query: RequestQuery): Promise<RequestPage> {
  const plan = planPage(dialectOf(schema), tenant, query)
  const [last] = plan.edge ? await runQuery(run, plan.edge) : []
  const edge = last?.id as string | undefined
  return plan.page(await runQuery(run, plan.rows(edge)), edge)
}

/** The requests of all tenants that are due. */
export async function findDue(
  run: Run,
  schema: string,
  { time, ...query }: DueQuery & { time: StoreTime },
): Promise<DuePage> {
  const clock = { sql: `${prefixOf(schema)}clock_ms(?, ?)`, values: time.values() }
  const plan = planDue<string | number | boolean>(dialectOf(schema), clock, query)
  return plan.page(await runQuery(run, plan.query))
}

function runQuery(run: Run, { sql, values }: SqlQuery<unknown>): ReturnType<Run> {
  return run(numbered(sql), values)
}
