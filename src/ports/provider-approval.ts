import { ModelResponseInvalid } from '../protocol/errors/errors.ts'
import { type Content, type Message, type ToolCall, textOf } from '../protocol/message.ts'
import type { ModelApprovalRequest, ModelToolCall } from './model.ts'

const TYPE = 'mcp_approval_request'

/** What a provider is told about a request of its own. */
export interface ApprovalResponse {
  type: 'mcp_approval_response'
  approvalRequestId: string
  approve: boolean
  reason?: string
}

/** A provider's request as a call: held, decided and answered like any other. */
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

/** Whether a call is a provider's request for approval of what it runs itself. */
export function isApprovalRequest({ providerData }: Pick<ToolCall, 'providerData'>): boolean {
  return providerData?.type === TYPE
}

/**
 * For adapters of models: what the provider is told about its own request, if the call is one. Only a result that says yes is a yes; anything
 * else, an expiry or an aborted run too, is a no with its words as the reason.
 */
export function toApprovalResponse(
  call: Pick<ToolCall, 'id' | 'providerData'>,
  result: Extract<Message, { role: 'tool' }>,
): ApprovalResponse | undefined {
  if (!isApprovalRequest(call)) return undefined
  const approvalRequestId = call.id
  if (!result.isError && isYes(result.data)) return { type: 'mcp_approval_response', approvalRequestId, approve: true }
  const reason = textOf(result.content as Content)
  return {
    type: 'mcp_approval_response',
    approvalRequestId,
    approve: false,
    ...(reason === '' ? {} : { reason }),
  }
}

function isYes(data: unknown): boolean {
  const said = data as { type?: unknown; approve?: unknown } | null | undefined
  return said?.type === 'mcp_approval_response' && said.approve === true
}
