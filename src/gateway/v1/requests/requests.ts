import { ANYBODY, mayDecide, mayWrite, namesOf, readersOf } from '../../../core/access.ts'
import { threadsNamed } from '../../../desk/conversations.ts'
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
    const { limit, cursor, order, ...filter } = call.query
    const visible = toStoreQuery(filter, call.caller)
    if (!visible) return ok({ requests: [] })
    const threads = filter.thread === undefined ? {} : await threadsNamed(call.store, filter.thread)
    const query = { ...visible, ...threads }
    const cursors = await cursorsOf(call, order === 'changed' ? 'requests by change' : 'requests')
    const start = cursors.open(cursor)
    if (!start.ok) return start
    const page = await keptPage({ limit, ...start.value }, async (place) => {
      const { requests, next } = await call.store.findRequests({ ...query, order, ...place })
      return { items: requests.flatMap((stored) => asSeen(call, stored) ?? []), next }
    })
    const items = page.items.map((known) => toRequestItem(known, call.caller))
    return ok({ requests: items, ...cursors.seal(page.next) })
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

/** The store's query for a filter but its thread, with what the caller may see as its first condition. `undefined`: nothing can match. */
function toStoreQuery(filter: Filter, caller: Caller): RequestCountQuery | undefined {
  const { status, tenant, assignee, mine, thread: _thread, before, after, ...same } = filter
  if (tenant !== undefined && tenant !== caller.tenant) return undefined
  const people = mine ? decidedBy(caller) : seenBy(caller)
  if (people.readers?.length === 0) return undefined
  return {
    ...same,
    ...(status === 'all' ? {} : { status }),
    ...people,
    ...(assignee === undefined ? {} : { assignedTo: assignee }),
    ...(before === undefined ? {} : { openedBefore: Date.parse(before) }),
    ...(after === undefined ? {} : { openedAfter: Date.parse(after) }),
  }
}

/** Only requests that the caller may decide and nobody else has taken. Their reviewers need not be all that the caller sees. */
function decidedBy(caller: Caller): Pick<RequestCountQuery, 'readers' | 'satisfiedBy' | 'notAssignedToOthers'> {
  if (!mayWrite(caller)) return { readers: [] }
  const names = namesOf({ id: caller.sub, groups: caller.groups })
  const readers = mayDecide(caller, []) ? [...names, ANYBODY] : names
  return { readers, satisfiedBy: names, notAssignedToOthers: caller.sub }
}

/** Only requests that the caller may see. */
function seenBy(caller: Caller): Pick<RequestCountQuery, 'readers'> {
  const readers = readersOf(caller)
  return readers ? { readers } : {}
}
