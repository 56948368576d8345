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
  const note = noteOf(ran.tool, ran.args, message)
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

/** A result without the note that {@link editedResult} added. */
export function withoutEditNote(result: ToolResult): ToolResult {
  const edited = (result.data as { edited?: Partial<JsonObject> } | undefined)?.edited
  if (!edited) return result
  const { toolName, args, message } = edited as { toolName: string; args: JsonObject; message?: string }
  const note = noteOf(toolName, args, message)
  const { content } = result
  if (typeof content === 'string')
    return content.startsWith(`${note}\n`) ? { ...result, content: content.slice(note.length + 1) } : result
  const [first, ...rest] = content
  return first?.type === 'text' && first.text === note ? { ...result, content: rest } : result
}

function noteOf(tool: string, args: JsonObject, message: string | undefined): string {
  const why = message === undefined ? '' : ` Why: ${message}`
  return `[A person changed this call before it ran. What ran: ${tool} ${JSON.stringify(args)}${why}]`
}
