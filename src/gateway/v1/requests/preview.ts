import { foldThread } from '../../../desk/fold-thread.ts'
import { type PreviewResult, previewBody, previewResult } from '../../../protocol/api/requests.ts'
import { type ErrorCode, HoldpointError } from '../../../protocol/errors/error-base.ts'
import { type EditPreview, previewEdit } from '../../../runtime/answers/preview-edit.ts'
import type { AgentDefinition } from '../../../runtime/definition/definition.ts'
import { LATE } from '../../http/deadlines.ts'
import { errorFields } from '../../log.ts'
import { type Result, refuse } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { ok, refusalOf, refuseWith } from '../refusals.ts'
import { type KnownRequest, toRequestItem } from '../views/request-item.ts'
import { mayDecideIt } from './may-decide.ts'
import { visibleRequest } from './visible-request.ts'
import { authorOf } from './write-request.ts'

type Body = ReturnType<typeof previewBody.parse>

/** How long the agent's code may take. */
const PREVIEW_MS = 5000

/** What an edited call would do. The agent's code says it, so only a gateway that was given the agent can tell. */
export const previewRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/preview',
  summary: 'What an edited call would do; changes nothing',
  body: previewBody,
  answer: previewResult,
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
    const agent = await agentOf(call, found.value)
    if (!agent) return UNAVAILABLE
    const slow = call.parts.previewLimiter.take(call.caller)
    return slow.ok ? preview(call, agent, opened.id) : slow
  },
})

const UNAVAILABLE = refuseWith({
  status: 409,
  code: 'preview_unavailable',
  detail:
    'This server does not have the code of the agent, so it cannot preview edits. The edit is checked before it runs.',
})

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

async function preview(
  call: ApiCall<unknown, Body>,
  agent: AgentDefinition,
  request: string,
): Promise<Result<PreviewResult>> {
  const { parts, store, body } = call
  const { version: _version, ...edited } = body
  const work = previewEdit(agent, { request, ...edited, by: authorOf(call) }, { store, deps: parts.deps }).then(
    (shown) => ({ shown }),
    (error: unknown) => ({ error }),
  )
  const outcome = await parts.bodies.race(work, PREVIEW_MS, undefined)
  if (outcome === LATE || outcome === undefined)
    return refuseWith({ status: 409, code: 'preview_unavailable', detail: 'The preview took too long.' })
  if ('shown' in outcome) return ok(toResult(outcome.shown))
  const { error } = outcome
  if (HoldpointError.isInstance(error) && OTHER_AGENT.includes(error.code)) return UNAVAILABLE
  if (refusalOf(error)) throw error
  // The agent's own code failed. What it says is for the log.
  parts.logger?.warn({ request, ...errorFields(error) }, 'a preview failed')
  return refuseWith({ status: 409, code: 'preview_unavailable', detail: 'The preview of this call failed.' })
}

function toResult(shown: EditPreview): PreviewResult {
  if (!shown.ok) return { problems: shown.problems }
  const { digest, preview } = shown
  return { digest, ...(preview === undefined ? {} : { preview }), problems: [] }
}
