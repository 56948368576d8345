import type { HitlRequest, JsonValue } from '../../index.ts'

/** A piece of the UI message stream (version 1) of the AI SDK, as far as runs of holdpoint need it. Pages of the versions 6 and 7 read it. */
export type UiMessageChunk =
  | { type: 'start'; messageId?: string }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'finish'; finishReason: 'stop' | 'tool-calls' | 'other' }
  | { type: 'error'; errorText: string }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: JsonValue; dynamic: true }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string; approvalDescriptor: ApprovalDescriptor }
  | { type: 'tool-output-available'; toolCallId: string; output: JsonValue; dynamic: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  /** A question that is no tool call: `confirm` or `ask`. */
  | { type: 'data-holdpoint-ask'; id: string; data: HitlRequest }
  /** An answer of the page that was not accepted. */
  | { type: 'data-holdpoint-problem'; id: string; data: { requestId: string; problem: string } }

/** What a page may know about a request, as `part.approval.descriptor`. */
export interface ApprovalDescriptor {
  requestId: string
  version: number
  allowedDecisions: string[]
  digest?: string
  description?: string
  risk?: string
  expiresAt?: string
}

/** Describes a request to the page. */
export function descriptorOf(request: HitlRequest): ApprovalDescriptor {
  const { id, version, allowedDecisions, digest, description, risk, expiresAt } = request
  return {
    requestId: id,
    version,
    allowedDecisions: [...allowedDecisions],
    ...(digest === undefined ? {} : { digest }),
    ...(description === undefined ? {} : { description }),
    ...(risk === undefined ? {} : { risk }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}
