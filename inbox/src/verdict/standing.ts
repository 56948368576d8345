import type { RequestDetail, RequestItem } from 'holdpoint/client'
import type { ActiveVerdict, Difference, RequestChanged, VerdictState } from 'holdpoint/react'
import { type Outcome, outcomeOf } from '../queue/outcome.ts'

/** Where a request stands for the person who reads it. */
export type Standing =
  | { kind: 'open' }
  | { kind: 'sending' }
  /** The person may read it, not decide it. */
  | { kind: 'denied' }
  /** A decision is kept on this device. `perhaps`: an earlier try may have arrived. */
  | { kind: 'held'; perhaps: boolean; verdict: ActiveVerdict }
  | { kind: 'refused'; error: unknown }
  | { kind: 'decided'; request: RequestItem; outcome: Outcome; by?: string; at?: string; reading: boolean }
  | { kind: 'expired'; reading: boolean }
  | { kind: 'closed'; request: RequestItem; outcome: 'cancelled' | 'aborted' }
  | { kind: 'replaced'; by?: RequestItem; differences: readonly Difference[] }
  | { kind: 'changed'; differences: readonly Difference[] }

/** What a standing is made from. */
export interface StandingFacts {
  detail: RequestDetail
  changed: RequestChanged | undefined
  verdict: VerdictState
  /** The server's time. */
  now: number
}

/** Where a request stands. What happened on the server counts before what this window tried. */
export function standingOf({ detail, changed, verdict, now }: StandingFacts): Standing {
  const { request } = detail
  const latest = changed?.now.request ?? request
  if (changed?.kind === 'replaced')
    return { kind: 'replaced', differences: changed.differences, ...(changed.by ? { by: changed.by } : {}) }
  if (latest.status !== 'open') return closedAs(latest, changed !== undefined)
  if (verdict.state === 'sending' || verdict.state === 'withdrawing') return { kind: 'sending' }
  if (changed?.kind === 'changed' && changed.differences.length > 0)
    return { kind: 'changed', differences: changed.differences }
  if (isLate(latest, now)) return { kind: 'expired', reading: true }
  if (verdict.state === 'held') return { kind: 'held', perhaps: verdict.perhaps, verdict }
  if (!request.mayDecide) return { kind: 'denied' }
  return verdict.state === 'failed' ? { kind: 'refused', error: verdict.error } : { kind: 'open' }
}

function closedAs(request: RequestItem, reading: boolean): Standing {
  switch (request.status) {
    case 'expired':
      return { kind: 'expired', reading }
    case 'cancelled':
    case 'aborted':
      return { kind: 'closed', request, outcome: request.status }
    case 'superseded':
      return { kind: 'replaced', differences: [] }
    case 'open':
    case 'decided':
      return { kind: 'decided', request, reading, ...outcomeOf(request) }
    default:
      return request.status satisfies never
  }
}

/** The deadline has passed, and nothing runs any more. The server says so soon. */
function isLate({ expiresAt, onTimeout = 'reject' }: RequestItem, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now && onTimeout === 'reject'
}
