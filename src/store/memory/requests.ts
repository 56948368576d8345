import type {
  ReaderThread,
  ReaderThreadPage,
  ReaderThreadQuery,
  RequestCount,
  RequestCountQuery,
  RequestPage,
  RequestQuery,
  StoredRequest,
} from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import {
  ANYBODY,
  afterAll,
  type ChangedPlace,
  changedCursor,
  countLimit,
  idAt,
  inForce,
  parseChangedCursor,
  wordsOf,
} from '../shared/request-filter.ts'
import { textAfter } from '../shared/text-order.ts'
import { countBefore, type MemoryRequest, type MemoryTenant } from './data.ts'
import { entryAt } from './read.ts'

/** One request by its id. */
export function getRequest(tenant: MemoryTenant, id: string, now: number): StoredRequest | undefined {
  const request = tenant.requests.get(id)
  return request && toStored(request, now)
}

/** A page of requests, newest first. */
export function findRequests(tenant: MemoryTenant, query: RequestQuery, now: number): RequestPage {
  const limit = pageLimit(query.limit)
  const byChange = query.order === 'changed'
  const found: MemoryRequest[] = []
  for (const request of byChange ? matchingByChange(tenant, query, now) : matching(tenant, query, now)) {
    if (found.length > limit) break
    found.push(request)
  }
  const page = found.slice(0, limit)
  const requests = page.map((request) => toStored(request, now))
  if (found.length <= limit) return { requests }
  const last = page.at(-1)!
  return { requests, next: byChange ? changedCursor(placeOf(last)) : last.row.id }
}

/** The requests that match a query, last changed first. */
function matchingByChange(tenant: MemoryTenant, { cursor, ...query }: RequestQuery, now: number): MemoryRequest[] {
  const found = [...matching(tenant, query, now)].map((request) => ({ request, place: placeOf(request) }))
  const start = cursor === undefined ? undefined : parseChangedCursor(cursor)
  return found
    .filter(({ place }) => !start || isBefore(place, start))
    .sort((one, other) => (isBefore(one.place, other.place) ? 1 : -1))
    .map(({ request }) => request)
}

function placeOf({ row, thread, changed, opened }: MemoryRequest): ChangedPlace {
  return { at: thread.times[(changed ?? opened) - 1]!, id: row.id }
}

function isBefore(one: ChangedPlace, other: ChangedPlace): boolean {
  return one.at === other.at ? textAfter(other.id, one.id) : one.at < other.at
}

/** Counts requests up to a limit. */
export function countRequests(
  tenant: MemoryTenant,
  query: RequestCountQuery & { stopAt: number | undefined },
  now: number,
): RequestCount {
  const limit = countLimit(query.stopAt)
  let count = 0
  for (const _ of matching(tenant, query, now)) {
    if (count === limit) return { count, more: true }
    count++
  }
  return { count, more: false }
}

/** A page of threads by their newest visible request. The cursor is the id of that request. */
export function findReaderThreads(tenant: MemoryTenant, query: ReaderThreadQuery, now: number): ReaderThreadPage {
  const limit = pageLimit(query.limit)
  const visible = query.readers === undefined ? {} : { readers: query.readers }
  const threads = new Map<MemoryRequest['thread'], ReaderThread & { newest: string }>()
  for (const { row, thread, status, changed, opened } of matching(tenant, visible, now)) {
    const known = threads.get(thread)
    const open = status === 'open' ? 1 : 0
    if (known) known.open += open
    else
      threads.set(thread, { threadId: thread.id, open, lastAt: thread.times[(changed ?? opened) - 1]!, newest: row.id })
  }
  const found = [...threads.values()].filter(({ newest }) => query.cursor === undefined || newest < query.cursor)
  const page = found.slice(0, limit)
  const next = found.length > limit ? page.at(-1)?.newest : undefined
  return { threads: page.map(({ newest: _, ...thread }) => thread), ...(next === undefined ? {} : { next }) }
}

/** The requests that match a query, from the highest id down. */
function* matching(tenant: MemoryTenant, query: RequestQuery, now: number): Generator<MemoryRequest> {
  const all = candidates(tenant, query)
  const matches = toFilter(query, now)
  for (let i = (query.cursor === undefined ? all.length : countBefore(all, query.cursor)) - 1; i >= 0; i--) {
    if (matches(all[i]!)) yield all[i]!
  }
}

function candidates({ ordered, threads }: MemoryTenant, { threadId, threadsUnder }: RequestQuery) {
  if (threadsUnder)
    return ordered.filter(
      ({ thread: { id } }) => id === threadId || threadsUnder.some((start) => id >= start && id < afterAll(start)),
    )
  return threadId === undefined ? ordered : (threads.get(threadId)?.requests ?? [])
}

type Filter = (request: MemoryRequest) => boolean

function toFilter(query: RequestQuery, now: number): Filter {
  const { status, readers, satisfiedBy, openedBefore, openedAfter, text } = query
  const filters: Filter[] = []
  if (status === 'closed') filters.push((request) => request.status !== 'open')
  else if (status !== undefined) filters.push((request) => request.status === status)
  for (const field of ['tool', 'agent', 'assignee', 'questionId', 'kind', 'risk'] as const) {
    const value = query[field]
    if (value !== undefined) filters.push(({ row }) => row[field] === value)
  }
  if (readers) filters.push(({ row }) => (row.readers ?? [ANYBODY]).some((reader) => readers.includes(reader)))
  if (satisfiedBy)
    filters.push(({ row: { lists, readers } }) =>
      (lists ?? (readers ? [readers] : [])).every((list) => list.some((name) => satisfiedBy.includes(name))),
    )
  if (openedBefore !== undefined) filters.push(({ row }) => row.id < idAt(openedBefore))
  if (openedAfter !== undefined) filters.push(({ row }) => row.id >= idAt(openedAfter))
  if (text !== undefined) filters.push(({ row }) => wordsOf(text).every((word) => row.text.includes(word)))
  filters.push(...personFilters(query, now))
  return (request) => filters.every((matches) => matches(request))
}

function personFilters({ assignedTo, notAssignedToOthers: person }: RequestQuery, now: number): Filter[] {
  const holder = ({ assigned, row }: MemoryRequest) => inForce(assigned, now)?.id ?? row.assignee
  const filters: Filter[] = []
  if (assignedTo !== undefined) filters.push((request) => holder(request) === assignedTo)
  if (person !== undefined) filters.push((request) => (holder(request) ?? person) === person)
  return filters
}

function toStored(request: MemoryRequest, now: number): StoredRequest {
  const { row, thread, status, version, opened, changed, assigned, comments } = request
  return {
    id: row.id,
    threadId: thread.id,
    status,
    version,
    expiresAt: row.expiresAt,
    assigned: inForce(assigned, now),
    comments,
    opened: entryAt(thread, opened),
    changed: changed === null ? null : entryAt(thread, changed),
  }
}
