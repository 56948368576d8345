import type { RunContext, RunToolApprovalItem } from '@openai/agents'
import type { ForeignCall } from '../../gate.ts'
import type { JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { AnyFunctionTool, Gated } from './options.ts'

/** What identifies a call of the SDK. */
interface Named {
  callId: string | undefined
  toolName: string
  args: JsonObject
}

/** A call as the gate knows it. */
function callOf({ options }: Gated, { callId, toolName, args }: Named): ForeignCall {
  if (callId === undefined) throw new InputInvalid(`The call of ${toolName} has no id.`)
  const { threadId, principal } = options
  return { threadId, callId, toolName, args, ...(principal === undefined ? {} : { principal }) }
}

/** The same with what the gate shows, pins and passes to policies. */
export function describedCall(
  gated: Gated,
  named: Named,
  from: { tool: AnyFunctionTool; runContext: RunContext<unknown> },
): ForeignCall {
  const { name, description, parameters } = from.tool
  const context = gated.options.context?.(from.runContext)
  return {
    ...callOf(gated, named),
    definition: { name, description, parameters: JSON.parse(JSON.stringify(parameters)) as JsonObject },
    ...(context === undefined ? {} : { context }),
  }
}

/** The arguments of a call. `undefined` if they are not a JSON object. */
export function parseArgs(input: string | undefined): JsonObject | undefined {
  try {
    const args: unknown = JSON.parse(input ?? '')
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/**
 * The call of an interruption. `'foreign'`: it is not one of a function tool, so the gate has nothing to do with it. `'invalid'`: its arguments are not a JSON
 * object, so nobody can be asked about it.
 */
export function interruptedCall(gated: Gated, { rawItem }: RunToolApprovalItem): ForeignCall | 'foreign' | 'invalid' {
  if (rawItem.type !== 'function_call') return 'foreign'
  const args = parseArgs(rawItem.arguments)
  return args ? callOf(gated, { callId: rawItem.callId, toolName: rawItem.name, args }) : 'invalid'
}
