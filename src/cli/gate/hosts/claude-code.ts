import type { JsonObject } from '../../../index.ts'
import { type Hook, type HookAnswer, type HookCall, type HookHost, HookInvalid, type HookVerdict } from '../hook.ts'
import { answerWith, contextOf, objectOf, SILENT, stringOf, textOf, useOf } from './fields.ts'

/** Claude Code: `PreToolUse`, `PermissionRequest`, and the ends `PostToolUse` and `PostToolUseFailure`. */
export const claudeCode: HookHost = {
  name: 'claude-code',
  limitSeconds: 600,
  isFrom: (input) => isOfClaude(input) && input.turn_id === undefined,
  read: (input) => readClaude(input, ['cwd', 'permission_mode', 'agent_id', 'agent_type', 'mcp_server']),
  editProblem: () => undefined,
  answer(event, verdict) {
    if (verdict.say === 'free') return SILENT
    if (event === 'PermissionRequest') return permission(verdict)
    const decided =
      verdict.say === 'deny'
        ? { permissionDecision: 'deny', permissionDecisionReason: verdict.reason }
        : {
            permissionDecision: 'allow',
            permissionDecisionReason: 'released by holdpoint',
            ...(verdict.args ? { updatedInput: verdict.args } : {}),
          }
    return answerWith({ hookSpecificOutput: { hookEventName: event, ...decided } })
  },
}

const EVENTS = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure']

/** Whether the input has the members that Claude Code introduced and Codex took over. */
export function isOfClaude({ hook_event_name: event, session_id: session, tool_name: tool }: JsonObject): boolean {
  return EVENTS.includes(event as string) && typeof session === 'string' && typeof tool === 'string'
}

/** Reads an event of Claude Code, or of Codex. */
export function readClaude(input: JsonObject, about: string[]): Hook {
  const event = stringOf(input, 'hook_event_name')
  const call: HookCall = {
    threadId: stringOf(input, 'session_id'),
    ...useOf(input),
    toolName: stringOf(input, 'tool_name'),
    args: objectOf(input, 'tool_input'),
    context: contextOf(input, ...about),
  }
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return { asks: 'may-run', event, call }
    case 'PostToolUse':
      return { asks: 'nothing', call, end: { result: textOf(input.tool_response) } }
    case 'PostToolUseFailure':
      return { asks: 'nothing', call, end: { error: textOf(input.error) } }
    default:
      throw new HookInvalid(`hook_event_name is ${event}, which is not about a call`)
  }
}

/** The answer to `PermissionRequest`. */
function permission(verdict: Exclude<HookVerdict, { say: 'free' }>): HookAnswer {
  const decision =
    verdict.say === 'deny'
      ? { behavior: 'deny', message: verdict.reason }
      : { behavior: 'allow', ...(verdict.args ? { updatedInput: verdict.args } : {}) }
  return answerWith({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
}
