import type { JsonObject } from '../../../index.ts'
import { type HookCall, type HookHost, HookInvalid } from '../hook.ts'
import { answerWith, contextOf, isObject, SILENT, stringOf, textOf } from './fields.ts'

/** GitHub Copilot CLI: `preToolUse` and `postToolUse`. Its input does not name the event: only the second has a result. */
export const copilot: HookHost = {
  name: 'copilot',
  limitSeconds: 30,
  isFrom: (input) => typeof input.toolName === 'string' && input.toolArgs !== undefined,
  read(input) {
    const call: HookCall = {
      // Without a session, equal calls in one folder meet.
      threadId: typeof input.sessionId === 'string' ? input.sessionId : stringOf(input, 'cwd'),
      toolName: stringOf(input, 'toolName'),
      args: argsOf(input),
      context: contextOf(input, 'cwd'),
    }
    const { toolResult } = input
    if (toolResult === undefined) return { asks: 'may-run', event: 'preToolUse', call }
    const text = textOf(isObject(toolResult) ? (toolResult.textResultForLlm ?? toolResult) : toolResult)
    const hasFailed = isObject(toolResult) && toolResult.resultType === 'failure'
    return { asks: 'nothing', call, end: hasFailed ? { error: text } : { result: text } }
  },
  editProblem: () => 'GitHub Copilot CLI cannot change the arguments of a call without asking again',
  answer(_event, verdict) {
    switch (verdict.say) {
      case 'free':
        return SILENT
      case 'released':
        return answerWith({ permissionDecision: 'allow' })
      case 'deny':
        return answerWith({ permissionDecision: 'deny', permissionDecisionReason: verdict.reason })
      default:
        return verdict satisfies never
    }
  },
}

/** Arguments come as JSON text, or as an object. */
function argsOf({ toolArgs }: JsonObject): JsonObject {
  let parsed: unknown = toolArgs
  try {
    if (typeof toolArgs === 'string') parsed = JSON.parse(toolArgs)
  } catch {
    parsed = undefined
  }
  if (!isObject(parsed)) throw new HookInvalid('toolArgs must be an object, or the JSON of one')
  return parsed
}
