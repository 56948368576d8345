import type { Append, Conflict, RequestChange } from '../../ports/store.ts'
import { type Limits, requireEntrySize, type StoreLimits } from '../../protocol/checks/limits.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { checkGrants } from './grants.ts'
import { changeLease, checkLease, type LeaseSlot, liveLease } from './lease.ts'

/**
 * The guards of an append as pure functions, so that every store refuses the same.
 *
 * The lease is judged before the version: a driver that lost its lease must stop, whatever else happened.
 */

/** The state of a thread that its guards check. */
export interface ThreadHead {
  readonly version: number
  readonly head: string
  /** The highest time written to the thread. */
  readonly at: number
  readonly lease: LeaseSlot
}

/** The result of the guards of lease and version: the lease after the append, or why it is refused. */
export type Judgement = { ok: true; lease: LeaseSlot } | { ok: false; conflict: Conflict }

/** Judges lease and version. `now` must not be before the head's `at`. */
export function judgeThread(head: ThreadHead, append: Append, now: number): Judgement {
  const lease = append.lease ? changeLease(head.lease, append.lease, now) : head.lease
  if (lease === undefined) return { ok: false, conflict: { kind: 'lease', lease: liveLease(head.lease, now) } }
  const isAnother = append.version !== undefined && append.version !== head.version
  if (isAnother || (append.head !== undefined && append.head !== head.head)) {
    return { ok: false, conflict: { kind: 'version', version: head.version } }
  }
  return { ok: true, lease }
}

/** A request as its guard sees it: `here` says whether it belongs to the thread of the append. */
export interface RequestHead {
  readonly version: number
  readonly here: boolean
}

/**
 * The id of the first request whose guard refuses. Opening is refused when the id exists; changing is refused unless the request is
 * this thread's, at version `from`, and it is not too late. Changes of one append see those before them.
 */
export function refusedRequest(
  changes: readonly RequestChange[],
  now: number,
  find: (id: string) => RequestHead | undefined,
): string | undefined {
  const versions = new Map<string, number>()
  for (const change of changes) {
    switch (change.op) {
      case 'open': {
        const { id } = change.row
        if (versions.has(id) || find(id)) return id
        versions.set(id, OPENED_VERSION)
        break
      }
      case 'change': {
        const version = versions.get(change.id) ?? versionHere(find(change.id))
        if (version !== change.from || now >= (change.before ?? Number.POSITIVE_INFINITY)) return change.id
        versions.set(change.id, change.from + 1)
        break
      }
    }
  }
  return undefined
}

/** The version that a request is opened at. */
export const OPENED_VERSION = 1

function versionHere(request: RequestHead | undefined): number | undefined {
  return request?.here ? request.version : undefined
}

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
  for (const change of append.requests ?? []) {
    if (!Number.isInteger(change.entry) || change.entry < 0 || change.entry >= append.entries.length) {
      throw new InputInvalid(`a request change names entry ${change.entry} of ${append.entries.length}`)
    }
  }
  if (append.lease) checkLease(append.lease)
  if (append.grants) checkGrants(append.grants, append.entries.length)
}
