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
  StoredRequest,
} from '../../ports/store-lists.ts'
import { countLimit } from '../shared/request-filter.ts'
import type { SqlQuery } from '../sql/dialect.ts'
import { planDue } from '../sql/due.ts'
import { planCount, planPage, toCount } from '../sql/find-requests.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import { planQueue, toQueue } from '../sql/queue.ts'
import { planReaderThreads } from '../sql/reader-threads.ts'
import type { Scope } from '../sql/request-plan.ts'
import { selectRequest, toStored } from '../sql/stored-request.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { checkThreads, type View } from './read.ts'
import { dialectOf, numbered } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** The tenant and the time of a view. */
export function scopeOf({ schema, tenant }: View, time: StoreTime): Scope {
  const [told, fixed] = time.values()
  return { tenant, clock: { sql: `${prefixOf(schema)}clock_ms(?, ${fixed})`, values: [told] } }
}

/** One request by its id. */
export async function getRequest(
  run: Run,
  view: View,
  { id, time }: { id: string; time: StoreTime },
): Promise<StoredRequest | undefined> {
  const { clock } = scopeOf(view, time)
  const sql = numbered(selectRequest(dialectOf(view.schema), clock.sql))
  const [row] = await run.kept(sql, [...clock.values, view.tenant, id])
  if (!row) return undefined
  const pointed = createPointed(view.tenant, view.trust)
  const stored = toStored(row, pointed)
  await checkThreads(run, view, pointed)
  return stored
}

/** A page of requests, newest first. */
export async function findRequests(
  run: Run,
  view: View,
  { time, ...query }: RequestQuery & { time: StoreTime },
): Promise<RequestPage> {
  const plan = planPage(dialectOf(view.schema), scopeOf(view, time), query)
  const [last] = plan.edge ? await runQuery(run, plan.edge) : []
  const edge = plan.toEdge(last)
  const pointed = createPointed(view.tenant, view.trust)
  const page = plan.page(await runQuery(run, plan.rows(edge)), edge, pointed)
  await checkThreads(run, view, pointed)
  return page
}

/** Counts requests up to a limit. */
export async function countRequests(
  run: Run,
  view: View,
  { time, stopAt, ...query }: RequestCountQuery & { time: StoreTime; stopAt: number | undefined },
): Promise<RequestCount> {
  const limit = countLimit(stopAt)
  const plan = planCount(dialectOf(view.schema), scopeOf(view, time), { ...query, limit })
  return toCount((await runQuery(run, plan))[0], limit)
}

/** A page of threads by their newest visible request. */
export async function findReaderThreads(run: Run, view: View, query: ReaderThreadQuery): Promise<ReaderThreadPage> {
  const plan = planReaderThreads(dialectOf(view.schema), view.tenant, query)
  return plan.page(await runQuery(run, plan.query))
}

/** The due requests of all tenants. */
export async function findDue(
  run: Run,
  schema: string,
  { time, ...query }: DueQuery & { time: StoreTime },
): Promise<DuePage> {
  const plan = planDue<string | number | boolean>(dialectOf(schema), clockOf(schema, time), query)
  return plan.page(await runQuery(run, plan.query))
}

/** The open requests of all tenants. */
export async function readQueue(run: Run, { schema, trust }: View, time: StoreTime): Promise<RequestQueue> {
  const [row] = await runQuery(run, planQueue(dialectOf(schema), clockOf(schema, time)))
  return toQueue(row!, trust.store)
}

export function clockOf(schema: string, time: StoreTime): SqlQuery<string | number | boolean> {
  return { sql: `${prefixOf(schema)}clock_ms(?, ?)`, values: time.values() }
}

export function runQuery(run: Run, { sql, values }: SqlQuery<unknown>): ReturnType<Run> {
  return run(numbered(sql), values)
}
