import { mayDecideRequest, readersOf } from '../../../core/access.ts'
import { isAboutCall } from '../../../desk/answer/decide.ts'
import { type RequestDetail, requestDetail } from '../../../protocol/api/requests.ts'
import { whoGoesOn } from '../../../worker/shared/who-goes-on.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { countGrants } from '../grants/visible-grants.ts'
import { readContext } from '../pages/read-context.ts'
import { ok } from '../refusals.ts'
import { toComment } from '../views/comment.ts'
import { type KnownRequest, toRequestItem } from '../views/request-item.ts'
import { toSimilar } from '../views/similar.ts'
import { scopesFor } from './grant-scopes.ts'
import { asSeen, visibleRequest } from './visible-request.ts'

/** One request with what a person needs to decide it. */
export const requestRoute = apiRoute({
  method: 'GET',
  path: '/v1/requests/:id',
  summary: 'One request with what led to it',
  answer: requestDetail,
  async handle(call) {
    const found = await visibleRequest(call, call.http.param('id'))
    if (!found.ok) return found
    const known = found.value
    const [context, similar, grants, notes, resumable] = await Promise.all([
      readContext(call, known),
      similarTo(call, known),
      countGrants(call, known.facts),
      known.stored.comments > 0 ? call.desk.notes(known.facts.opened.id) : [],
      whoGoesOn(call.store, known.facts.threadId),
    ])
    return ok({
      request: toRequestItem(known, call.caller),
      ...context,
      ...(resumable && { resumable }),
      offers: offersFor(call, known),
      similar,
      grants,
      comments: notes.flatMap((note) => toComment(note) ?? []),
    } satisfies RequestDetail)
  },
})

const LOOKED_AT = 25
const SHOWN = 5

/** Earlier decisions about calls of the same tool, the newest first. */
async function similarTo(call: ApiCall, { facts: { opened } }: KnownRequest): Promise<RequestDetail['similar']> {
  const readers = readersOf(call.caller)
  if (opened.toolName === undefined || readers?.length === 0) return []
  const page = await call.store.findRequests({
    tool: opened.toolName,
    kind: 'approve',
    status: 'closed',
    ...(readers ? { readers } : {}),
    limit: LOOKED_AT,
  })
  return page.requests
    .flatMap((stored) => asSeen(call, stored) ?? [])
    .filter(({ facts }) => facts.opened.id !== opened.id)
    .flatMap((known) => toSimilar(known) ?? [])
    .slice(0, SHOWN)
}

/** How far an approval may reach. */
function offersFor({ caller }: ApiCall, { facts: { opened } }: KnownRequest): RequestDetail['offers'] {
  const possible = opened.kind === 'approve' && isAboutCall(opened) && opened.allowedDecisions.includes('approve')
  return possible && mayDecideRequest(caller, opened) ? scopesFor(caller, opened).map((scope) => ({ scope })) : []
}
