import type { JsonObject } from '../../../index.ts'
import { type HookCall, type HookHost, HookInvalid } from '../hook.ts'
import { answerWith, contextOf, isObject, objectOf, SILENT, stringOf, textOf } from './fields.ts'

/** Gemini CLI: `BeforeTool` and `AfterTool`. It merges changed arguments over those of the model. */
export const gemini: HookHost = {
  name: 'gemini',
  limitSeconds: 60,
  isFrom: ({ hook_event_name: event }) => event === 'BeforeTool' || event === 'AfterTool',
  read(input) {
    const event = stringOf(input, 'hook_event_name')
    const call: HookCall = {
      threadId: stringOf(input, 'session_id'),
      toolName: stringOf(input, 'tool_name'),
      args: objectOf(input, 'tool_input'),
      context: contextOf(input, 'cwd', 'mcp_context'),
    }
    if (event === 'BeforeTool') return { asks: 'may-run', event, call }
    if (event !== 'AfterTool') throw new HookInvalid(`hook_event_name is ${event}, which is not about a call`)
    const { tool_response: response } = input
    const error = isObject(response) ? response.error : undefined
    return {
      asks: 'nothing',
      call,
      end: error === undefined || error === null ? { result: textOf(response) } : { error: textOf(error) },
    }
  },
  editProblem(_event, given, edited) {
    const gone = missingKey(given, edited)
    return gone === undefined ? undefined : `Gemini CLI cannot leave out the argument ${gone}`
  },
  answer(_event, verdict) {
    switch (verdict.say) {
      case 'free':
        return SILENT
      case 'released':
        return answerWith({
          decision: 'allow',
          ...(verdict.args ? { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: verdict.args } } : {}),
        })
      case 'deny':
        return answerWith({ decision: 'deny', reason: verdict.reason })
      default:
        return verdict satisfies never
    }
  },
}

/** An argument that an edit took away: a host that merges would keep it. Also inside of objects. */
function missingKey(given: JsonObject, edited: JsonObject, path = ''): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    const now = edited[name]
    if (now === undefined) return `${path}${name}`
    const inside = isObject(value) && isObject(now) ? missingKey(value, now, `${path}${name}.`) : undefined
    if (inside !== undefined) return inside
  }
  return undefined
}
