import type { Append, Conflict, RequestChange } from '../../ports/store.ts'
import { type Limits, requireEntrySize, type StoreLimits } from '../../protocol/checks/limits.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { checkGrants } from './grants.ts'
import { changeLease, checkLease, type LeaseSlot, liveLease } from './lease.ts'
import { checkRecords } from './records.ts'
import { type Assigned, inForce } from './request-filter.ts'
import { checkSnapshot } from './snapshot.ts'
import { checkWake } from './wake.ts'

/**
 * The guards of an append as pure functions, so that every store refuses the same.
 *
 * The lease is judged before the version: a driver that lost its lease must stop, whatever else happened. The time comes last, since a newer history
 * may need no waiting.
 */

/** The state of a thread that its guards check. */
export interface ThreadHead {
  readonly version: number
  readonly head: string
  /** The highest time written to the thread. */
  readonly at: number
  readonly lease: LeaseSlot
}

/** The result of the guards of lease, version and time: the lease after the append, or why it is refused. */
export type Judgement = { ok: true; lease: LeaseSlot } | { ok: false; conflict: Conflict }

/** Judges lease, version and time. `now` must not be before the head's `at`. */
export function judgeThread(head: ThreadHead, append: Append, now: number): Judgement {
  const lease = append.lease ? changeLease(head.lease, append.lease, now) : head.lease
  if (lease === undefined) return { ok: false, conflict: { kind: 'lease', lease: liveLease(head.lease, now) } }
  const isAnother = append.version !== undefined && append.version !== head.version
  if (isAnother || (append.head !== undefined && append.head !== head.head)) {
    return { ok: false, conflict: { kind: 'version', version: head.version } }
  }
  const { notBefore = now } = append
  return now < notBefore ? { ok: false, conflict: { kind: 'time', at: notBefore } } : { ok: true, lease }
}

/** A request as its guard sees it: `here` says whether it belongs to the thread of the append. */
export interface RequestHead {
  readonly version: number
  readonly here: boolean
  readonly open: boolean
  readonly assigned: Assigned | null
}

/**
 * The id of the first request whose guard refuses. Opening is refused when the id exists; changing is refused unless the request is
 * this thread's, at version `from`, and it is not too late. Requests of any thread can be assigned while they are open, and commented on.
 * Changes of one append see those before them.
 */
export function refusedRequest(
  changes: readonly RequestChange[],
  now: number,
  find: (id: string) => RequestHead | undefined,
): string | undefined {
  const seen = new Map<string, RequestHead>()
  for (const change of changes) {
    const id = change.op === 'open' ? change.row.id : change.id
    const next = changed(change, seen.get(id) ?? find(id), now)
    if (!next) return id
    seen.set(id, next)
  }
  return undefined
}

/** The request after a change. `undefined`: it is refused. */
function changed(change: RequestChange, head: RequestHead | undefined, now: number): RequestHead | undefined {
  switch (change.op) {
    case 'open':
      return head ? undefined : { version: OPENED_VERSION, here: true, open: true, assigned: null }
    case 'change': {
      const isLate = now >= (change.before ?? Number.POSITIVE_INFINITY)
      if (!head?.here || head.version !== change.from || isLate) return undefined
      return { ...head, version: change.from + 1, open: change.status === 'open' }
    }
    case 'assign': {
      const taken = head && inForce(head.assigned, now)
      if (!head?.open || (change.claim && taken && taken.id !== change.assignee)) return undefined
      return { ...head, assigned: assignedBy(change, now) }
    }
    case 'comment':
      return head
  }
}

/** Who has a request after it is assigned. */
export function assignedBy(
  { assignee, ttlMs }: Extract<RequestChange, { op: 'assign' }>,
  now: number,
): Assigned | null {
  return assignee === null ? null : { id: assignee, until: ttlMs === undefined ? null : now + ttlMs }
}

/** The version that a request is opened at. */
export const OPENED_VERSION = 1

/** Throws `InputInvalid` for an append that no store could apply. */
export function checkAppend(append: Append, limits: Limits<StoreLimits>): void {
  if (typeof append.threadId !== 'string') throw new InputInvalid('threadId must be a string')
  if (!['number', 'undefined'].includes(typeof append.version)) throw new InputInvalid('version must be a number')
  if (!['string', 'undefined'].includes(typeof append.head)) throw new InputInvalid('head must be a string')
  for (const body of append.entries) {
    if (typeof body !== 'string') throw new InputInvalid(`an entry must be a string, not ${typeof body}`)
    requireEntrySize(body, limits)
  }
  if (append.sign && append.entries.length > 0) throw new InputInvalid('an append that signs cannot have entries')
  if (append.erase) checkErase(append, append.erase)
  if (append.snapshot) checkSnapshot(append, append.snapshot)
  for (const change of append.requests ?? []) checkRequest(change, append.entries.length)
  if (append.lease) checkLease(append.lease)
  checkWake(append)
  if (append.grants) checkGrants(append.grants, append.entries.length)
  if (append.records && append.records.length > 0) {
    // To find out later whether an append was stored, a store searches for its entries.
    if (append.entries.length === 0) throw new InputInvalid('an append that changes records needs an entry')
    checkRecords(append.records)
  }
}

/** Without a version it could erase entries that its entries do not account for. */
function checkErase(
  { version, entries, requests, grants }: Append,
  { body, salt }: NonNullable<Append['erase']>,
): void {
  if (version === undefined || entries.length === 0)
    throw new InputInvalid('an append that erases needs a version and entries')
  if (requests || grants) throw new InputInvalid('an append that erases cannot change requests or grants')
  if (typeof body !== 'string' || !(salt instanceof Uint8Array) || salt.length !== 16)
    throw new InputInvalid('erase needs a body and a salt of 16 bytes')
}

function checkRequest(change: RequestChange, entries: number): void {
  switch (change.op) {
    case 'open':
    case 'change':
      if (!Number.isInteger(change.entry) || change.entry < 0 || change.entry >= entries) {
        throw new InputInvalid(`a request change names entry ${change.entry} of ${entries}`)
      }
      return
    case 'assign': {
      const { assignee, ttlMs = 1 } = change
      if (entries === 0) throw new InputInvalid('an append that assigns a request needs an entry')
      if (!Number.isSafeInteger(ttlMs) || ttlMs <= 0) throw new InputInvalid(`ttlMs must be positive, not ${ttlMs}`)
      if (assignee === '' || (assignee === null && change.claim)) throw new InputInvalid('a claim names its assignee')
      return
    }
    case 'comment':
      if (entries === 0) throw new InputInvalid('an append that counts a comment needs an entry')
      return
  }
}
