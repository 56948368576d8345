import type { Actor, Decision, HitlRequest } from '../../../index.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json/json.ts'
import { revealed } from '../../mcp/untrusted-text.ts'
import { objectOr } from '../wire/messages.ts'
import type { Waiting } from './answers.ts'

/** The door of decisions that a client elicited. */
const ELICITED = 'mcp-elicitation'

/** The name of the proxy's question among the input requests of a modern client. */
export const QUESTION = 'holdpoint'

/**
 * Whether the client's user may be asked. Whatever answers is a program on the agent's side, so this is never enough for high risk: such a call, one without
 * a stated risk and one with named reviewers need the inbox.
 */
export function mayElicit(state: Waiting, capabilities: JsonObject): boolean {
  const { elicitation } = capabilities
  const { request } = state
  if (state.status !== 'held' || !request || request.kind !== 'approve' || !canForm(elicitation)) return false
  const isMinor = request.risk === 'low' || request.risk === 'medium'
  const isOpenToAll = request.reviewers === undefined && request.reviewerLists === undefined
  const isDoor = request.via === undefined || request.via.includes(ELICITED)
  const both = ['approve', 'reject'] as const
  return isMinor && isOpenToAll && isDoor && request.reason === undefined && both.every((one) => allows(request, one))
}

/** The parameters of `elicitation/create`. */
export function questionOf(request: HitlRequest): JsonObject {
  const args = revealed(JSON.stringify(request.args ?? {}, undefined, 2))
  return {
    mode: 'form',
    message: `Approve this call of ${request.toolName}?\n${args}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['approve', 'reject'] },
        message: { type: 'string', title: 'Message to the agent, if rejected' },
      },
      required: ['decision'],
    },
  }
}

/** The decision in an answer. Without one, such as after `cancel`, the request stays open for the inbox. */
export function decisionIn(answer: JsonValue | undefined): Decision | undefined {
  const { action, content } = objectOr(answer)
  if (action !== 'accept') return undefined
  const { decision, message } = objectOr(content)
  if (decision === 'approve') return { type: 'approve' }
  if (decision !== 'reject') return undefined
  return { type: 'reject', ...(typeof message === 'string' && message !== '' ? { message } : {}) }
}

/** Who an elicited answer is recorded as. */
export function elicitedActor(principal: string): Actor {
  return { kind: 'person', id: principal, via: ELICITED }
}

function canForm(elicitation: JsonValue | undefined): boolean {
  if (typeof elicitation !== 'object' || elicitation === null || Array.isArray(elicitation)) return false
  // An empty object is the older way to say that forms work.
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined
}

function allows({ allowedDecisions }: HitlRequest, type: 'approve' | 'reject'): boolean {
  return allowedDecisions.includes(type)
}
