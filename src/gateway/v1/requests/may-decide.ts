import { isThrough, mayDecideRequest } from '../../../core/access.ts'
import type { Result } from '../../refusal.ts'
import type { ApiCall } from '../api-route.ts'
import { notAllowed, ok } from '../refusals.ts'
import type { KnownRequest } from '../views/request-item.ts'

/** Refuses a caller who sees a request and may not decide it. */
export function mayDecideIt({ caller }: ApiCall, { facts: { opened } }: KnownRequest): Result<void> {
  if (mayDecideRequest(caller, opened)) return ok(undefined)
  const { via = 'api' } = caller
  if (!isThrough({ kind: 'person', via }, opened.via))
    return notAllowed(
      `You may read this request, but not decide it from here: it is decided through ${opened.via?.join(', ')}, not through ${via}.`,
    )
  return notAllowed('You may read this request, but not decide it: it is for other reviewers.')
}
