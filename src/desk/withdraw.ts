import { planReopen } from '../core/plan/calls.ts'
import { deadlineOf, planDeadline } from '../core/plan/deadline.ts'
import { planGateReopen } from '../core/plan/gate.ts'
import { findCall, framesOf } from '../core/queries.ts'
import type { ThreadState } from '../core/state.ts'
import { projectRequests } from '../core/views/project.ts'
import { type RequestFacts, toHitlRequest } from '../core/views/request-view.ts'
import { wakeAfter } from '../core/wake.ts'
import type { RecordChange } from '../ports/records.ts'
import type { Append, Store } from '../ports/store.ts'
import type { Actor } from '../protocol/decision.ts'
import type { Entry, EntryOf } from '../protocol/entries/entry.ts'
import { HitlError, HitlStaleAnswer } from '../protocol/errors/errors.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { findRequest, type RequestRef } from './find.ts'
import { commit } from './record/commit.ts'
import { foldThread } from './record/fold-thread.ts'
import { parseActor } from './record/on-record.ts'
import { requireRecords } from './record/records.ts'

/** How a decision is withdrawn. */
export interface WithdrawOptions {
  /** It may be somebody else's: for operators, who are recorded. */
  anyAuthor?: boolean
  /** The version that was read. Left out, the current decision is withdrawn. */
  version?: number
  /** Written in the same transaction. */
  records?: readonly RecordChange[]
}

/**
 * Withdraws a decision before it takes effect: the request opens again with the next version. Only its author may do that, or somebody with
 * `anyAuthor`, and only until its undo window ends by the store's time or, without one, until the call is started. A request whose deadline has
 * passed meanwhile expires in the same append. Resolves to the request as it is then.
 */
export async function withdraw(
  store: Store,
  ref: RequestRef,
  { anyAuthor = false, version, ...given }: WithdrawOptions & { by: string | Actor },
): Promise<HitlRequest> {
  const by = parseActor(given.by)
  const id = await commit('Withdrawing a decision', async () => {
    const facts = await findRequest(store, ref)
    const { changed, threadId, opened } = facts
    const isMeant = version === undefined || version === facts.version
    if (changed?.type !== 'request.decided' || !isMeant) throw new HitlStaleAnswer({ id: opened.id, ...facts })
    if (!anyAuthor && (changed.by.kind !== by.kind || changed.by.id !== by.id)) {
      throw new HitlError(
        'decision_not_allowed',
        `Only ${changed.by.id}, who decided request ${opened.id}, can withdraw the decision.`,
      )
    }
    const { state, head, now } = await foldThread(store, threadId)
    const effectiveAt = changed.undoMs === undefined ? undefined : (facts.changedAt ?? now) + changed.undoMs
    const reopening = planTakeBack(state, opened, by)
    if (reopening.length === 0 || now >= (effectiveAt ?? Number.POSITIVE_INFINITY)) {
      throw new HitlError('stale_answer', tooLate(state, opened))
    }
    const { entries, ...guards } = planInTime(facts, reopening, { now, effectiveAt })
    // Grants end with the decision that created them.
    const grants = [...state.grants.values()].flatMap(({ grant, revoked }) =>
      grant.request === opened.id && revoked === null ? [{ op: 'revoke', entry: 0, id: grant.id } as const] : [],
    )
    const outcome = await store.append({
      threadId,
      version: state.version,
      head,
      entries: entries.map((entry) => JSON.stringify(entry)),
      grants,
      ...guards,
      ...(given.records ? { records: given.records } : {}),
      wake: { op: 'set', at: wakeAfter(state, entries, now) },
    })
    requireRecords(outcome)
    return outcome.ok ? { done: opened.id } : undefined
  })
  return toHitlRequest(await findRequest(store, id))
}

/** An aborted run may have ended inside of the undo window: then the decision never took effect. */
function tooLate({ run }: ThreadState, { id, run: own }: EntryOf<'request.opened'>): string {
  if (run?.id === own && run?.status === 'aborted')
    return `The decision on request ${id} cannot be withdrawn any more: its run was aborted.`
  return `The decision on request ${id} has taken effect and cannot be withdrawn.`
}

/**
 * The entries that reopen a request, followed by its deadline if that has passed: nobody could answer it any more. The store judges both times by its
 * own clock: a start of the call that comes first wins, and a deadline that passes meanwhile is planned for again.
 */
function planInTime(
  { opened, version, escalated = false, threadId }: RequestFacts,
  reopening: readonly Entry[],
  { now, effectiveAt = Number.POSITIVE_INFINITY }: { now: number; effectiveAt: number | undefined },
): Pick<Append, 'requests' | 'notBefore'> & { entries: Entry[] } {
  const deadline = deadlineOf(opened, escalated) ?? Number.POSITIVE_INFINITY
  const isLate = deadline <= now
  const entries = isLate ? [...reopening, ...planDeadline({ opened, version: version + 1 })] : [...reopening]
  const before = isLate ? effectiveAt : Math.min(effectiveAt, deadline)
  const requests = projectRequests(entries, threadId).map((change, index) =>
    index === 0 && change.op === 'change' && before < Number.POSITIVE_INFINITY ? { ...change, before } : change,
  )
  return isLate ? { entries, requests, notBefore: Math.ceil(deadline) } : { entries, requests }
}

/** Reopens a request about a call or a final answer. Empty if its decision was acted on. */
function planTakeBack(state: ThreadState, { id, call: key }: EntryOf<'request.opened'>, by: Actor): Entry[] {
  const frame = framesOf(state).find(({ gate }) => gate?.request.opened.id === id)
  if (frame) return planGateReopen(frame, by)
  const call = key === undefined ? undefined : findCall(state, key)
  const [entry] = call ? planReopen(call, { cause: 'withdrawn', by }) : []
  // The call may have a newer request since, whose decision has another author.
  return entry && 'id' in entry && entry.id === id ? [entry] : []
}
