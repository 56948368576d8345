import { foldThread } from '../../../desk/record/fold-thread.ts'
import { type PreviewBody, type PreviewResult, previewBody, previewResult } from '../../../protocol/api/previews.ts'
import { type ErrorCode, HoldpointError } from '../../../protocol/errors/error-base.ts'
import { previewEdit, toPreviewResult } from '../../../runtime/answers/preview-edit.ts'
import type { AgentDefinition } from '../../../runtime/definition/definition.ts'
import { isServed } from '../../../worker/shared/live-workers.ts'
import { type AskedEdit, askWorkers, PREVIEW_MS } from '../../../worker/shared/preview-records.ts'
import { routeOf } from '../../../worker/shared/routes.ts'
import { LATE } from '../../http/deadlines.ts'
import { errorFields } from '../../log.ts'
import { type Result, refuse } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { ok, refusalOf, refuseWith } from '../refusals.ts'
import { type KnownRequest, toRequestItem } from '../views/request-item.ts'
import { mayDecideIt } from './may-decide.ts'
import { visibleRequest } from './visible-request.ts'
import { authorOf } from './write-request.ts'

/** What an edited call would do. The agent's code says it: here, if the gateway was given the agent, else on a worker that has it. */
export const previewRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/preview',
  summary: 'What an edited call would do; changes nothing',
  body: previewBody(),
  answer: previewResult(),
  refusals: [409],
  async handle(call) {
    const found = await visibleRequest(call, call.http.param('id'))
    if (!found.ok) return found
    const allowed = mayDecideIt(call, found.value)
    if (!allowed.ok) return allowed
    const { opened, status, version } = found.value.facts
    if (opened.kind !== 'approve' || opened.call === undefined)
      return refuse(400, 'Only an edited call can be previewed, and this request is not about a call.')
    if (status !== 'open' || version !== call.body.version) return changed(call, found.value)
    const slow = call.parts.previewLimiter.take(call.caller)
    if (!slow.ok) return slow
    const agent = await agentOf(call, found.value)
    const here = agent && (await previewHere(call, agent, opened.id))
    return here ?? previewElsewhere(call, found.value)
  },
})

function unavailable(detail: string): Result<never> {
  return refuseWith({ status: 409, code: 'preview_unavailable', detail })
}

const LATE_DETAIL = 'The preview took too long.'
const FAILED_DETAIL = 'The preview of this call failed.'

function changed({ caller }: ApiCall, known: KnownRequest): Result<never> {
  const request = toRequestItem(known, caller)
  const code = request.status === 'open' ? 'request_changed' : 'already_decided'
  return refuseWith({ status: 409, code, detail: 'The request is not as you saw it.', more: { request } })
}

/** The agent that began the run. */
async function agentOf({ parts, store }: ApiCall, { facts }: KnownRequest): Promise<AgentDefinition | undefined> {
  const { agents } = parts.settings
  if (agents.length === 0) return undefined
  const { state } = await foldThread(store, facts.threadId)
  const { id, version } = state.run?.agent ?? {}
  const named = agents.filter((agent) => agent.id === id)
  return named.find((agent) => agent.version === version) ?? named[0]
}

/** Errors that say that this agent is not the one that asked. */
const OTHER_AGENT: readonly ErrorCode[] = ['agent_mismatch', 'agent_missing', 'agent_version_missing']

/** Previews with the gateway's own agents. `undefined`: they are not the ones that asked. */
async function previewHere(
  call: ApiCall<unknown, PreviewBody>,
  agent: AgentDefinition,
  request: string,
): Promise<Result<PreviewResult> | undefined> {
  const { parts, store } = call
  const work = previewEdit(agent, editOf(call, request), { store, deps: parts.deps }).then(
    (shown) => ({ shown }),
    (error: unknown) => ({ error }),
  )
  const outcome = await parts.bodies.race(work, PREVIEW_MS, undefined)
  if (outcome === LATE || outcome === undefined) return unavailable(LATE_DETAIL)
  if ('shown' in outcome) return ok(toPreviewResult(outcome.shown))
  const { error } = outcome
  if (HoldpointError.isInstance(error) && OTHER_AGENT.includes(error.code)) return undefined
  if (refusalOf(error)) throw error
  // The agent's own code failed. What it says is for the log.
  parts.logger?.warn({ request, ...errorFields(error) }, 'a preview failed')
  return unavailable(FAILED_DETAIL)
}

/** Lets a worker preview it that has the version of the agent on which the run is. */
async function previewElsewhere(
  call: ApiCall<unknown, PreviewBody>,
  { facts: { threadId, opened } }: KnownRequest,
): Promise<Result<PreviewResult>> {
  const { store, caller } = call
  const { wake } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  const { agent, agentVersion } = wake
  if (agent === null || !(await isServed(store, agent, agentVersion)))
    return unavailable(
      'Neither this server nor a worker that is alive has the code of the agent, so the edit cannot be previewed. It is checked before it runs.',
    )
  const place = { tenantId: caller.tenant, route: routeOf(agent, agentVersion) }
  const said = await askWorkers(store, place, editOf(call, opened.id))
  if (said?.kind === 'shown') return ok(said.result)
  const now = await visibleRequest(call, opened.id)
  if (!now.ok) return now
  const { status, version } = now.value.facts
  if (status !== 'open' || version !== call.body.version) return changed(call, now.value)
  if (said === undefined) return unavailable('No worker said in time what the edit would do.')
  return unavailable(said.kind === 'late' ? LATE_DETAIL : FAILED_DETAIL)
}

function editOf(call: ApiCall<unknown, PreviewBody>, request: string): AskedEdit {
  const { version: _version, ...edited } = call.body
  return { request, ...edited, by: authorOf(call) }
}
