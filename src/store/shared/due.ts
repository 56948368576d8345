import type { DuePage, DueRequest } from '../../ports/store-lists.ts'
import { textAfter } from './text-order.ts'

/** Whether a request comes after another in the order of {@link DuePage}. */
export function isAfter(a: DueRequest, b: DueRequest): boolean {
  if (a.expiresAt !== b.expiresAt) return a.expiresAt > b.expiresAt
  return a.tenantId === b.tenantId ? textAfter(a.id, b.id) : textAfter(a.tenantId, b.tenantId)
}

/** The page of requests with a deadline, in order: those that are due, up to the limit. One more than the limit is needed. */
export function cutDue(dated: readonly DueRequest[], limit: number, now: number): DuePage {
  const requests = dated.slice(0, limit).filter(({ expiresAt }) => expiresAt <= now)
  return { requests, nextAt: dated[requests.length]?.expiresAt ?? null, now }
}
