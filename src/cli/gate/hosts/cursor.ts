import type { JsonObject } from '../../../index.ts'
import { type Hook, type HookHost, HookInvalid } from '../hook.ts'
import { answerWith, contextOf, isObject, objectOf, stringOf, textOf, useOf } from './fields.ts'

/** The name under which policies find commands that Cursor announces without a tool. */
const SHELL = 'Shell'

/** Cursor: `preToolUse`, `beforeShellExecution`, `beforeMCPExecution`, and their ends. */
export const cursor: HookHost = {
  name: 'cursor',
  limitSeconds: 60,
  isFrom: ({ conversation_id: conversation, generation_id: generation }) =>
    typeof conversation === 'string' && typeof generation === 'string',
  read(input) {
    const event = stringOf(input, 'hook_event_name')
    switch (event) {
      case 'preToolUse':
      case 'beforeShellExecution':
      case 'beforeMCPExecution':
        return { asks: 'may-run', event, call: callOf(event, input) }
      case 'postToolUse':
        return ended(event, input, { result: textOf(input.tool_output) })
      case 'postToolUseFailure':
        return ended(event, input, { error: textOf(input.error_message) })
      case 'afterShellExecution':
        return ended(event, input, { result: textOf(input.output) })
      case 'afterMCPExecution':
        return ended(event, input, { result: textOf(input.result_json) })
      default:
        throw new HookInvalid(`hook_event_name is ${event}, which is not about a call`)
    }
  },
  editProblem: (event) =>
    event === 'preToolUse' ? undefined : `Cursor cannot change the arguments of a call in ${event}`,
  answer(_event, verdict) {
    if (verdict.say === 'deny')
      return answerWith({ permission: 'deny', user_message: verdict.reason, agent_message: verdict.reason })
    const edited = verdict.say === 'released' && verdict.args ? { updated_input: verdict.args } : {}
    return answerWith({ permission: 'allow', ...edited })
  },
}

function ended(event: string, input: JsonObject, end: { result: string } | { error: string }): Hook {
  return { asks: 'nothing', call: callOf(event, input), end }
}

function callOf(event: string, input: JsonObject) {
  const threadId = stringOf(input, 'conversation_id')
  const context = contextOf(input, 'cwd', 'workspace_roots', 'generation_id', 'model')
  if (event === 'beforeShellExecution' || event === 'afterShellExecution')
    return { threadId, toolName: SHELL, args: { command: stringOf(input, 'command') }, context }
  return { threadId, ...useOf(input), toolName: stringOf(input, 'tool_name'), args: argsOf(input), context }
}

/** MCP arguments come as JSON text, others as an object. */
function argsOf(input: JsonObject): JsonObject {
  if (typeof input.tool_input !== 'string') return objectOf(input, 'tool_input')
  const parsed: unknown = parse(input.tool_input)
  if (!isObject(parsed)) throw new HookInvalid('tool_input must be an object, or the JSON of one')
  return parsed
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
