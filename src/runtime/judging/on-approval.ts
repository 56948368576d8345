import type { PolicyVerdict } from '../../policy/policy.ts'
import { isRecord, tellReturned } from '../../protocol/checks/returned.ts'
import type { Actor } from '../../protocol/decision.ts'
import { messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject } from '../../protocol/json/json.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { Tool } from '../definition/definition.ts'
import { modelMessages } from '../definition/model-messages.ts'

/** The actor of decisions that `onApproval` made. */
export const ON_APPROVAL: Actor = { kind: 'policy', id: 'onApproval' }

/** Calls a tool's `onApproval` for a call that `needsApproval` holds. `undefined`: people are asked. Errors become `PolicyFailed`. */
export async function askCode(
  { agentId: agent, runContext }: { agentId: string; runContext: RunContext },
  tool: Tool,
  call: { callId: string; args: JsonObject },
): Promise<Extract<PolicyVerdict, { verdict: 'allow' | 'deny' }> | undefined> {
  const { name: toolName } = tool
  const item = { toolName, toolCallId: call.callId, args: cloneJson(call.args), agent }
  let answer: unknown
  try {
    answer = await tool.onApproval?.(runContext, item)
  } catch (error) {
    throw new PolicyFailed(toolName, `onApproval of tool "${toolName}" threw: ${messageOf(error)}`, { cause: error })
  }
  if (answer === undefined || answer === null) return undefined
  const { approve, reason, ...rest } = isRecord(answer) ? answer : {}
  if (
    typeof approve !== 'boolean' ||
    (reason !== undefined && typeof reason !== 'string') ||
    Object.keys(rest).length > 0
  ) {
    throw new PolicyFailed(
      toolName,
      `onApproval of tool "${toolName}" returned ${tellReturned(answer)}; it must be { approve: boolean, reason?: string } or undefined`,
    )
  }
  return approve ? { verdict: 'allow' } : { verdict: 'deny', reason: reason || modelMessages.rejectedInCode(toolName) }
}
