import type { DuePage, DueQuery, RequestPage, RequestQuery, StoredRequest } from '../../ports/store-lists.ts'
import type { SqlQuery } from '../sql/dialect.ts'
import { planDue } from '../sql/due.ts'
import { planPage } from '../sql/find-requests.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import { selectRequest, toStored } from '../sql/stored-request.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { checkThreads, type View } from './read.ts'
import { dialectOf, numbered } from './schema.ts'
import type { StoreTime } from './time.ts'

/** One request by its id. */
export async function getRequest(run: Run, view: View, id: string): Promise<StoredRequest | undefined> {
  const [row] = await run(numbered(selectRequest(dialectOf(view.schema))), [view.tenant, id])
  if (!row) return undefined
  const pointed = createPointed(view.tenant, view.trust)
  const stored = toStored(row, pointed)
  await checkThreads(run, view, pointed)
  return stored
}

/** A page of requests from the highest id down. */
export async function findRequests(run: Run, view: View, query: RequestQuery): Promise<RequestPage> {
  const plan = planPage(dialectOf(view.schema), view.tenant, query)
  const [last] = plan.edge ? await runQuery(run, plan.edge) : []
  const edge = last?.id as string | undefined
  const pointed = createPointed(view.tenant, view.trust)
  const page = plan.page(await runQuery(run, plan.rows(edge)), edge, pointed)
  await checkThreads(run, view, pointed)
  return page
}

/** The due requests of all tenants. */
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
