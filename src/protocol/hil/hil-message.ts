import { HilContentError } from '../errors/errors.ts'
import { canonicalJson, sha256 } from '../json/canonical.ts'
import type { JsonValue } from '../json/json.ts'
import type { HilInterruptContent, HilMessage } from './hil.ts'

/** A message id derived from its parts, equal in every process. Sending again under it does not ask twice. */
export function derivedMessageId(...parts: (string | number)[]): string {
  const hex = sha256(canonicalJson(parts))
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
  return `${groups.join('-')}-${hex.slice(20, 32)}`
}

/**
 * Refuses a message that is too large. Every client of the session gets every message, possibly over a slow connection.
 */
export function checkSize(message: HilMessage, maxBytes: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(message))
  if (bytes <= maxBytes) return
  const what = message.content.body as { tool_name?: JsonValue } | undefined
  throw new HilContentError(
    `the message about ${String(what?.tool_name)} has ${bytes} bytes, and at most ${maxBytes} are sent. Pass a reference to large data instead of the data, or raise maxMessageBytes.`,
  )
}

/** A question that is or was on a stream. */
export interface PostedQuestion {
  messageId: string
  content: HilInterruptContent
  reviewers?: readonly string[] | undefined
}

/** The id of the notification that a question is over. */
export function retractionId(messageId: string): string {
  return derivedMessageId('retracted', messageId)
}

/**
 * The notification that a question is over: it was answered, settled elsewhere, or its asker gave up. Its id is derived
 * from the question's, so clients get it once, whichever process sends it.
 */
export function retraction({ messageId, content, reviewers }: PostedQuestion, reason: string): HilMessage {
  const { tool_name, tool_exec_uuid } = content.body
  return {
    msg_id: retractionId(messageId),
    msg_type: 'Notification',
    content: {
      source: 'agent_tool_call',
      body: { tool_name, type: 'Retracted', tool_exec_uuid, detail: { msg_id: messageId, reason } },
    },
    ...(reviewers ? { meta: { reviewers: [...reviewers] } } : {}),
  }
}
