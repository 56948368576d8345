import { mayDecideRequest } from '../../../core/access.ts'
import { titleOf } from '../../../core/display/title.ts'
import { type RequestFacts, shownActor, shownDecision, toHitlRequest } from '../../../core/views/request-view.ts'
import type { StoredRequest } from '../../../ports/store-lists.ts'
import type { RequestItem } from '../../../protocol/api/requests.ts'
import type { Caller } from '../../auth/auth.ts'
import { hiddenIn } from './hidden-in.ts'

/** A stored request, and what its entries say. */
export interface KnownRequest {
  readonly stored: StoredRequest
  readonly facts: RequestFacts
}

/** A request as lists show it to one caller. */
export function toRequestItem({ stored, facts }: KnownRequest, caller: Caller): RequestItem {
  const { decision: _decision, answer: _answer, closedReason: _reason, ...request } = toHitlRequest(facts)
  return {
    ...request,
    title: titleOf(facts.opened),
    hidden: hiddenIn(facts.opened),
    ...settlement(facts),
    ...assignment(stored),
    comments: stored.comments,
    mayDecide: mayDecideRequest(caller, facts.opened),
  }
}

function assignment({ assigned }: StoredRequest): Pick<RequestItem, 'assigned'> {
  if (!assigned) return {}
  return { assigned: { id: assigned.id, ...(assigned.until === null ? {} : { until: iso(assigned.until) }) } }
}

/** How a request was settled, by whom and when. */
function settlement({ changed, changedAt = 0 }: RequestFacts): Pick<RequestItem, 'decided' | 'answered' | 'closed'> {
  switch (changed?.type) {
    case 'request.decided': {
      const { decision, by, undoMs = 0, comment } = changed
      const times = { at: iso(changedAt), effectiveAt: iso(changedAt + undoMs) }
      return { decided: { decision: shownDecision(decision), by: shownActor(by), ...times, ...given({ comment }) } }
    }
    case 'request.answered': {
      const { answer: value, by, comment } = changed
      return { answered: { value, by: shownActor(by), at: iso(changedAt), ...given({ comment }) } }
    }
    case 'request.closed': {
      const { by, reason } = changed
      return { closed: { by: shownActor(by), at: iso(changedAt), ...given({ reason }) } }
    }
    default:
      return {}
  }
}

/** The members that are there. */
export function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** A time of the store as JSON has it. */
export function iso(time: number): string {
  return new Date(time).toISOString()
}
