import type { Append, Conflict } from '../../ports/store.ts'
import { InputInvalid } from '../../protocol/errors.ts'
import type { MemoryTenant, MemoryThread } from './data.ts'
import { changeLease, type LeaseSlot, liveLease, NO_LEASE } from './lease.ts'

/** The version that a request is opened at. */
export const OPENED_VERSION = 1

/** What an append is judged against. */
interface Judged {
  readonly tenant: MemoryTenant
  readonly thread: MemoryThread | undefined
  readonly now: number
}

/**
 * What the guards of an append say: the lease as the append leaves it, or why it is refused. The lease is judged before the version: who
 * lost it must stop, whatever else happened meanwhile.
 */
export function judge(
  { tenant, thread, now }: Judged,
  append: Append,
): { ok: true; lease: LeaseSlot } | { ok: false; conflict: Conflict } {
  const current = thread?.lease ?? NO_LEASE
  const lease = append.lease ? changeLease(current, append.lease, now) : current
  if (!lease) return { ok: false, conflict: { kind: 'lease', lease: liveLease(current, now) } }
  const version = thread?.bodies.length ?? 0
  if (append.version !== undefined && append.version !== version) {
    return { ok: false, conflict: { kind: 'version', version } }
  }
  const refused = refusedRequest({ tenant, thread, now }, append)
  return refused === undefined ? { ok: true, lease } : { ok: false, conflict: { kind: 'request', id: refused } }
}

/** Changes of one append see those before them. */
function refusedRequest({ tenant, thread, now }: Judged, append: Append): string | undefined {
  const versions = new Map<string, number>()
  for (const change of append.requests ?? []) {
    switch (change.op) {
      case 'open': {
        const { id } = change.row
        if (versions.has(id) || tenant.requests.has(id)) return id
        versions.set(id, OPENED_VERSION)
        break
      }
      case 'change': {
        const known = tenant.requests.get(change.id)
        const version = versions.get(change.id) ?? (known?.thread === thread ? known?.version : undefined)
        if (version !== change.from || now >= (change.before ?? Number.POSITIVE_INFINITY)) return change.id
        versions.set(change.id, change.from + 1)
        break
      }
    }
  }
  return undefined
}

/** Refuses an append that no store could apply. A mistake of the caller, so it is thrown. */
export function checkAppend(append: Append): void {
  if (typeof append.threadId !== 'string') throw new InputInvalid('threadId must be a string')
  for (const body of append.entries) {
    if (typeof body !== 'string') throw new InputInvalid(`an entry must be a string, not ${typeof body}`)
  }
  for (const change of append.requests ?? []) {
    if (!Number.isInteger(change.entry) || change.entry < 0 || change.entry >= append.entries.length) {
      throw new InputInvalid(`a request change names entry ${change.entry} of ${append.entries.length}`)
    }
  }
}
