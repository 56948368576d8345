import type { Actor } from '../../protocol/decision.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { textOf } from '../../protocol/message.ts'

/** A text-only result. */
export function textResult(content: string): ToolResult {
  return { content }
}

/** A failed text-only result. */
export function errorResult(content: string): ToolResult {
  return { content, isError: true }
}

/**
 * The result of a call that a person changed before it ran. The model's own message stays as it was, so the result says
 * so.
 */
export function editedResult(
  result: ToolResult,
  ran: { tool: string; args: JsonObject; by: Actor; editMessage: string | undefined },
): ToolResult {
  const { editMessage: message } = ran
  const why = message === undefined ? '' : ` Why: ${message}`
  const note = `[A person changed this call before it ran. What ran: ${ran.tool} ${JSON.stringify(ran.args)}${why}]`
  const edited: JsonObject = {
    toolName: ran.tool,
    args: ran.args,
    by: { kind: ran.by.kind, id: ran.by.id },
    ...(message === undefined ? {} : { message }),
  }
  const data: JsonValue = result.data === undefined ? { edited } : { edited, result: result.data }
  if (typeof result.content === 'string') return { ...result, content: `${note}\n${textOf(result.content)}`, data }
  return { ...result, content: [{ type: 'text', text: note }, ...result.content], data }
}
