import type { JsonObject } from '../../../index.ts'
import { type HookCall, type HookHost, HookInvalid } from '../hook.ts'
import { answerWith, contextOf, isObject, SILENT, stringOf, textOf } from './fields.ts'

/**
 * GitHub Copilot CLI: `preToolUse`, and the ends `postToolUse` and `postToolUseFailure`. Its input does not name the event: the second has a result, and the
 * third an error.
 */
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
    const { toolResult, error } = input
    if (toolResult === undefined && typeof error === 'string')
      return { asks: 'nothing', call, end: { error: textOf(error) } }
    if (toolResult === undefined) return { asks: 'may-run', event: 'preToolUse', call }
    const text = textOf(isObject(toolResult) ? (toolResult.textResultForLlm ?? toolResult) : toolResult)
    const hasFailed = isObject(toolResult) && toolResult.resultType === 'failure'
    return { asks: 'nothing', call, end: hasFailed ? { error: text } : { result: text } }
  },
  // 1.0.102 takes changed arguments, as `modifiedArgs`.
  editProblem: () => 'older versions of GitHub Copilot CLI would run the call unchanged',
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
