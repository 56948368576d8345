import { ModelResponseInvalid } from '../protocol/errors/errors.ts'
import { type Content, type Message, type ToolCall, type ToolResult, textOf } from '../protocol/message.ts'
import type { ModelApprovalRequest, ModelToolCall } from './model.ts'

const TYPE = 'mcp_approval_request'
const RESPONSE = 'mcp_approval_response'

/** The answer to a provider's approval request. */
export interface ApprovalResponse {
  type: 'mcp_approval_response'
  approvalRequestId: string
  approve: boolean
  reason?: string
}

/** A provider's approval request as a call: held, decided and answered like any other. */
export function toApprovalCall(asked: ModelApprovalRequest): ModelToolCall {
  const { id, serverLabel, name, arguments: args, providerData } = asked ?? {}
  if (typeof id !== 'string' || id === '') throw new ModelResponseInvalid('an approval request has no id')
  if (typeof serverLabel !== 'string' || typeof name !== 'string')
    throw new ModelResponseInvalid('an approval request names no server or no tool')
  return {
    id,
    name: `${serverLabel}.${name}`,
    providerData: { ...providerData, type: TYPE, serverLabel, name },
    ...(typeof args === 'string' ? { argsText: args } : { args }),
  }
}

/** Whether a call is a provider's approval request for a tool that it runs itself. */
export function isApprovalRequest({ providerData }: Pick<ToolCall, 'providerData'>): boolean {
  return providerData?.type === TYPE
}

/**
 * For model adapters: the answer to a provider's approval request, if the call is one. Only an approving result
 * approves. Anything else, including an expiry or an aborted run, rejects with the result's text as the reason. A
 * rejection without a reason has none.
 */
export function toApprovalResponse(
  call: Pick<ToolCall, 'id' | 'providerData'>,
  result: Extract<Message, { role: 'tool' }>,
): ApprovalResponse | undefined {
  if (!isApprovalRequest(call)) return undefined
  const approvalRequestId = call.id
  if (!result.isError && isYes(result.data)) return { type: 'mcp_approval_response', approvalRequestId, approve: true }
  const reason = isSilent(result.data) ? '' : textOf(result.content as Content)
  return {
    type: 'mcp_approval_response',
    approvalRequestId,
    approve: false,
    ...(reason === '' ? {} : { reason }),
  }
}

/** The result of a provider's approval request that was rejected without a reason: the provider is told none. */
export function withoutReason(result: ToolResult): ToolResult {
  return { ...result, data: { type: RESPONSE, approve: false } }
}

function isSilent(data: unknown): boolean {
  const said = data as { type?: unknown; approve?: unknown } | null | undefined
  return said?.type === RESPONSE && said.approve === false
}

function isYes(data: unknown): boolean {
  const said = data as { type?: unknown; approve?: unknown } | null | undefined
  return said?.type === RESPONSE && said.approve === true
}
