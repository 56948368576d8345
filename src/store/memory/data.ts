import { randomUUID } from 'node:crypto'
import type { StoredRecord } from '../../ports/records.ts'
import type { GrantRow, RequestRow } from '../../ports/store.ts'
import type { WakeMark } from '../../ports/wake.ts'
import type { RequestStatus } from '../../protocol/request.ts'
import { type GrantHead, placeOf } from '../shared/grants.ts'
import { type LeaseSlot, NO_LEASE } from '../shared/lease.ts'
import type { Assigned } from '../shared/request-filter.ts'
import { NO_WAKE } from '../shared/wake.ts'
import type { MemoryOutbox } from './outbox.ts'

/** A thread to start with, as read from a state string. */
export interface ThreadSeed {
  tenant: string
  threadId: string
  entries: readonly { at: number; body: string }[]
  requests: readonly {
    row: RequestRow
    status: RequestStatus
    version: number
    /** The sequence number of the entry that opened it. */
    opened: number
    /** The sequence number of the entry that last changed it. */
    changed: number | null
  }[]
  grants?: readonly {
    row: GrantRow
    /** The sequence number of the entry that created it. */
    created: number
    /** The sequence number of the entry that revoked it. */
    revoked: number | null
  }[]
}

/** The snapshot of one fold. Chunk `n` is at index `n - 1`. */
interface MemorySnapshot {
  readonly version: number
  readonly body: string
  readonly chunks: string[]
}

/** One thread. Entry `n` is at index `n - 1`; bodies are strings, so nothing is shared with callers. */
export interface MemoryThread {
  readonly id: string
  /** Distinguishes it from threads with the same id in other stores. */
  readonly nonce: string
  /** See `headAt`. */
  head: string
  readonly times: number[]
  readonly bodies: string[]
  /** The highest time that was written. */
  at: number
  lease: LeaseSlot
  wake: WakeMark
  erased: boolean
  /** In the order of their ids. */
  readonly requests: MemoryRequest[]
  /** By fold. */
  readonly snapshots: Map<number, MemorySnapshot>
  /** Links of the first entries, made when the chain is first read. */
  readonly links: { salt: Uint8Array; hash: Uint8Array }[]
}

/** One request. `opened` and `changed` are sequence numbers in its thread. */
export interface MemoryRequest {
  readonly row: RequestRow
  readonly thread: MemoryThread
  status: RequestStatus
  version: number
  readonly opened: number
  changed: number | null
  assigned: Assigned | null
  comments: number
}

/** One grant. `created` and `revokedBy` are sequence numbers in its thread. */
export interface MemoryGrant {
  readonly row: GrantRow
  readonly thread: MemoryThread
  readonly created: number
  revokedBy: number | null
  head: GrantHead<MemoryThread>
}

/** All that a tenant has. */
export interface MemoryTenant {
  readonly id: string
  readonly threads: Map<string, MemoryThread>
  /** The threads with a wake time. */
  readonly marked: Set<MemoryThread>
  readonly requests: Map<string, MemoryRequest>
  /** All requests in the order of their ids. */
  readonly ordered: MemoryRequest[]
  readonly grants: Map<string, MemoryGrant>
  /** Grants by their scope. */
  readonly places: Map<string, MemoryGrant[]>
  /** Records by kind and id. */
  readonly records: Map<string, StoredRecord>
  /** Shared by all tenants of a store. */
  readonly outbox: MemoryOutbox
}

/** An empty tenant, or one with a single thread. */
export function createTenant(id: string, outbox: MemoryOutbox, seed?: ThreadSeed): MemoryTenant {
  const tenant: MemoryTenant = {
    id,
    threads: new Map(),
    marked: new Set(),
    requests: new Map(),
    ordered: [],
    grants: new Map(),
    places: new Map(),
    records: new Map(),
    outbox,
  }
  if (!seed) return tenant
  const thread = addThread(tenant, seed.threadId)
  for (const entry of seed.entries) {
    thread.times.push(entry.at)
    thread.bodies.push(entry.body)
    thread.at = Math.max(thread.at, entry.at)
  }
  thread.head = headAt(thread, thread.bodies.length)
  for (const { row, ...request } of seed.requests) {
    addRequest(tenant, { ...request, row: { ...row }, thread, assigned: null, comments: 0 })
  }
  for (const { row, created, revoked } of seed.grants ?? []) {
    const { uses, used, cap, spent, expiresAt } = row
    const head = { thread, uses, used, cap, spent, expiresAt, revoked: revoked !== null }
    addGrant(tenant, { row: { ...row }, thread, created, revokedBy: revoked, head })
  }
  return tenant
}

/**
 * The head of a thread at a version. Entries are only ever added here, so the thread and the version identify a history. A hash would say no more and
 * make writes slower.
 */
export function headAt(thread: MemoryThread | undefined, version: number): string {
  return thread && version > 0 ? `${thread.nonce}.${version}` : ''
}

/** Adds an empty thread. */
export function addThread(tenant: MemoryTenant, id: string): MemoryThread {
  const thread: MemoryThread = {
    id,
    nonce: randomUUID(),
    head: headAt(undefined, 0),
    times: [],
    bodies: [],
    at: Number.NEGATIVE_INFINITY,
    lease: NO_LEASE,
    wake: NO_WAKE,
    erased: false,
    requests: [],
    snapshots: new Map(),
    links: [],
  }
  tenant.threads.set(id, thread)
  return thread
}

/** Adds a request to every index. */
export function addRequest(tenant: MemoryTenant, request: MemoryRequest): void {
  tenant.requests.set(request.row.id, request)
  insert(tenant.ordered, request)
  insert(request.thread.requests, request)
}

/** Adds a grant to every index. */
export function addGrant(tenant: MemoryTenant, grant: MemoryGrant): void {
  tenant.grants.set(grant.row.id, grant)
  const place = placeOf(grant.row, grant.thread.id)
  const there = tenant.places.get(place)
  if (there) there.push(grant)
  else tenant.places.set(place, [grant])
}

/** Removes all requests and grants of a thread from every index. */
export function removeIndexed(tenant: MemoryTenant, thread: MemoryThread): void {
  for (const { row } of thread.requests.splice(0)) {
    tenant.requests.delete(row.id)
    tenant.ordered.splice(countBefore(tenant.ordered, row.id), 1)
  }
  for (const grant of [...tenant.grants.values()].filter((each) => each.thread === thread)) {
    tenant.grants.delete(grant.row.id)
    const there = tenant.places.get(placeOf(grant.row, thread.id)) ?? []
    there.splice(there.indexOf(grant), 1)
  }
}

/** Ids grow with time, so this is nearly always a push. */
function insert(requests: MemoryRequest[], request: MemoryRequest): void {
  const last = requests.at(-1)
  if (!last || last.row.id < request.row.id) requests.push(request)
  else requests.splice(countBefore(requests, request.row.id), 0, request)
}

/** How many of the requests have an id before this one. */
export function countBefore(requests: readonly MemoryRequest[], id: string): number {
  let low = 0
  let high = requests.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (requests[middle]!.row.id < id) low = middle + 1
    else high = middle
  }
  return low
}
