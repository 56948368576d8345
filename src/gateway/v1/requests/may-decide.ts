import { listsOf, mayDecide } from '../../../core/access.ts'
import type { Result } from '../../refusal.ts'
import type { ApiCall } from '../api-route.ts'
import { notAllowed, ok } from '../refusals.ts'
import type { KnownRequest } from '../views/request-item.ts'

/** Refuses a caller who sees a request and may not decide it. */
export function mayDecideIt({ caller }: ApiCall, { facts }: KnownRequest): Result<void> {
  if (mayDecide(caller, listsOf(facts.opened))) return ok(undefined)
  return notAllowed('You may read this request, but not decide it: it is for other reviewers.')
}
