import { mayDecideRequest, readersOf } from '../../../core/access.ts'
import { isAboutCall } from '../../../desk/answer/decide.ts'
import { type RequestDetail, requestDetail } from '../../../protocol/api/requests.ts'
import { isServed, usesWorkers } from '../../../worker/shared/live-workers.ts'
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
    const [context, similar, grants, notes] = await Promise.all([
      readContext(call, known),
      similarTo(call, known),
      countGrants(call, known.facts),
      known.stored.comments > 0 ? call.desk.notes(known.facts.opened.id) : [],
    ])
    return ok({
      request: toRequestItem(known, call.caller),
      ...context,
      ...(await resumableIn(call, known.facts.threadId)),
      offers: offersFor(call, known),
      similar,
      grants,
      comments: notes.flatMap((note) => toComment(note) ?? []),
    } satisfies RequestDetail)
  },
})

/** Which version of the agent goes on after a decision, and whether a live worker has it. */
async function resumableIn({ store }: ApiCall, threadId: string): Promise<Pick<RequestDetail, 'resumable'>> {
  if (!(await usesWorkers(store))) return {}
  const { wake } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  const { agent, agentVersion: version } = wake
  if (agent === null) return {}
  return { resumable: { live: await isServed(store, agent, version), agent, version } }
}

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
