import { ANYBODY, mayDecide, mayWrite, namesOf, readersOf } from '../../../core/access.ts'
import type { RequestCountQuery } from '../../../ports/store-lists.ts'
import { counts, type requestFilter, requestPage, requestQuery } from '../../../protocol/api/requests.ts'
import type { Caller } from '../../auth/auth.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { cursorsOf } from '../cursors.ts'
import { ok } from '../refusals.ts'
import { toRequestItem } from '../views/request-item.ts'
import { keptPage } from './seen-pages.ts'
import { asSeen } from './visible-request.ts'

type Filter = ReturnType<typeof requestFilter.parse>

/** Requests that the caller may see, newest first, in pages. */
export const requestsRoute = apiRoute({
  method: 'GET',
  path: '/v1/requests',
  summary: 'Requests that the caller may see, newest first',
  query: requestQuery,
  answer: requestPage,
  async handle(call) {
    const { limit, cursor, ...filter } = call.query
    const query = toStoreQuery(filter, call.caller)
    if (!query) return ok({ requests: [] })
    const cursors = await cursorsOf(call, 'requests')
    const start = cursors.open(cursor)
    if (!start.ok) return start
    const page = await keptPage({ limit, ...start.value }, async (from) => {
      const found = await call.store.findRequests({
        ...query,
        limit: limit + 1,
        ...(from === undefined ? {} : { cursor: from }),
      })
      const seen = found.requests.flatMap((stored) => asSeen(call, stored) ?? [])
      const items = seen.map((known) => toRequestItem(known, call.caller))
      // The store knows the names in a request's lists, not that several lists must each be satisfied.
      return { items: filter.mine ? items.filter(({ mayDecide }) => mayDecide) : items, next: found.next }
    })
    return ok({ requests: page.items, ...cursors.seal(page.next) })
  },
})

/** How many requests wait. */
export const countsRoute = apiRoute({
  method: 'GET',
  path: '/v1/counts',
  summary: 'How many open requests the caller may see, each count up to 1000',
  answer: counts,
  async handle(call) {
    const [open, mine, high] = await Promise.all([
      countOf(call, {}),
      countOf(call, { mine: true }),
      countOf(call, { risk: 'high' }),
    ])
    return ok({ open, mine, high })
  },
})

async function countOf({ store, caller }: ApiCall, filter: Partial<Filter>): Promise<{ count: number; more: boolean }> {
  const query = toStoreQuery({ status: 'open', ...filter }, caller)
  return query ? store.countRequests(query, { limit: 1000 }) : { count: 0, more: false }
}

/** The store's query for a filter, with what the caller may see as its first condition. `undefined`: nothing can match. */
function toStoreQuery(filter: Filter, caller: Caller): RequestCountQuery | undefined {
  const { status, tenant, assignee, mine, thread, before, after, ...same } = filter
  if (tenant !== undefined && tenant !== caller.tenant) return undefined
  const readers = mine ? decidedBy(caller) : readersOf(caller)
  if (readers?.length === 0) return undefined
  return {
    ...same,
    ...(status === 'all' ? {} : { status }),
    ...(readers ? { readers } : {}),
    ...(mine ? { notAssignedToOthers: caller.sub } : {}),
    ...(assignee === undefined ? {} : { assignedTo: assignee }),
    ...(thread === undefined ? {} : { threadId: thread }),
    ...(before === undefined ? {} : { openedBefore: Date.parse(before) }),
    ...(after === undefined ? {} : { openedAfter: Date.parse(after) }),
  }
}

/** The names that a request must have for the caller to decide it, as in `readersOf`. A request with several lists may need more than one of them. */
function decidedBy(caller: Caller): string[] {
  if (!mayWrite(caller)) return []
  const names = namesOf({ id: caller.sub, groups: caller.groups })
  return mayDecide(caller, []) ? [...names, ANYBODY] : names
}
