import type { Store } from '../../ports/store.ts'
import type { DueRequest } from '../../ports/store-lists.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import {
  HitlNoPendingRequest,
  InputInvalid,
  isThreadErased,
  JournalInvalid,
  StoreCorrupt,
} from '../../protocol/errors/errors.ts'
import { findRequest } from '../find.ts'
import { writeDeadline } from './expiry.ts'

/** Options of a sweep. */
export interface SweepOptions {
  /** The maximum number of requests. Default 1000. */
  limit?: number
  /** Ends the sweep early. Writes under way are finished. */
  signal?: AbortSignal
}

/** How many requests a sweep changed, and how. */
export interface Sweep {
  /** Closed because nobody answered in time. */
  expired: number
  /** Escalated to others. */
  escalated: number
  /** Approved by their timeout. */
  allowed: number
  /** Due, but settled first by a decision, a resume or another sweeper, or erased. */
  passed: number
  /** Unreadable requests, which were left unchanged. */
  problems: { tenantId: string; id: string; error: JournalInvalid | StoreCorrupt }[]
  /** The next deadline. It is in the past if this sweep did not reach all due requests. Absent if no open request has a deadline. */
  nextAt?: string
}

/** How many are written in parallel, so that a store with group commits syncs once for many. */
const AT_ONCE = 50

/**
 * Records the expired deadlines of open requests, for all tenants of a store. Everything that touches an expired request records its deadline in the
 * same way, so any number of sweeps may run at once, and none is required. Resumes no run. Rejects only if the store fails; the next sweep then goes on.
 */
export async function sweep(store: Store, options: SweepOptions = {}): Promise<Sweep> {
  requireKnown('sweep', options, ['limit', 'signal'])
  const { limit = 1000, signal } = options
  if (!Number.isInteger(limit) || limit < 1) throw new InputInvalid(`limit must be an integer above 0, not ${limit}`)
  const done: Sweep = { expired: 0, escalated: 0, allowed: 0, passed: 0, problems: [] }
  let after: DueRequest | undefined
  for (let left = limit; ; ) {
    const page = await store.due({ limit: Math.max(1, Math.min(left, AT_ONCE)), ...(after ? { after } : {}) })
    if (left <= 0 || page.requests.length === 0 || signal?.aborted) {
      const nextAt = page.requests[0]?.expiresAt ?? page.nextAt
      return nextAt === null ? done : { ...done, nextAt: new Date(nextAt).toISOString() }
    }
    const swept = await Promise.allSettled(page.requests.map((due) => sweepOne(store, due, page.now)))
    for (const [index, outcome] of swept.entries()) {
      if (outcome.status === 'fulfilled') done[outcome.value] += 1
      else if (outcome.reason instanceof JournalInvalid || isOneThread(outcome.reason)) {
        const { tenantId, id } = page.requests[index]!
        done.problems.push({ tenantId, id, error: outcome.reason })
      } else throw outcome.reason
    }
    left -= page.requests.length
    // An unreadable request stays due, and must not block others.
    after = page.requests.at(-1)
  }
}

/** Whether a thread is damaged, not the whole store. */
function isOneThread(error: unknown): error is StoreCorrupt {
  return error instanceof StoreCorrupt && error.threadId !== undefined
}

async function sweepOne(
  store: Store,
  { tenantId, id }: DueRequest,
  now: number,
): Promise<'expired' | 'escalated' | 'allowed' | 'passed'> {
  const tenant = store.tenant(tenantId)
  try {
    const [written] = await writeDeadline(tenant, await findRequest(tenant, id), now)
    return written ? (WRITTEN[written.type] ?? 'passed') : 'passed'
  } catch (error) {
    // It was erased since it was found.
    if (error instanceof HitlNoPendingRequest || isThreadErased(error)) return 'passed'
    throw error
  }
}

const WRITTEN: Partial<Record<Entry['type'], 'expired' | 'escalated' | 'allowed'>> = {
  'request.closed': 'expired',
  'request.escalated': 'escalated',
  'request.decided': 'allowed',
}
