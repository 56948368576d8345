import { isJson } from '../../protocol/json/json.ts'

/*
 * Messages as they usually are, and replies, checked by hand: each is checked when it is sent and whenever it is read. What is accepted here, the
 * schemas accept too. Whatever is not accepted here is left to them; they say what is wrong with it, if anything.
 */

/** Whether a value surely is a message. */
export function isUsualMessage(value: unknown): boolean {
  if (!isObject(value) || 'meta' in value || 'reply_schema' in value || !isJson(value)) return false
  const { msg_id, msg_type, content } = value
  if (typeof msg_id !== 'string' || !isObject(content)) return false
  if (msg_type === 'Notification') return true
  return msg_type === 'HIL_interrupt_request' && content.source === 'agent_tool_call' && isUsualBody(content.body)
}

function isUsualBody(body: unknown): boolean {
  if (!isObject(body) || !('detail' in body)) return false
  const { tool_name, type, tool_exec_uuid } = body
  return typeof tool_name === 'string' && typeof type === 'string' && typeof tool_exec_uuid === 'string'
}

/** Whether a value surely is a reply. */
export function isUsualReply(value: unknown): boolean {
  return (typeof value === 'string' || isObject(value)) && isJson(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
