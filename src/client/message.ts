import type { HilInterruptContent } from '../protocol/hil/hil.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { ClientError } from './client-error.ts'

/** A question that waits for a reply. */
export interface ClientInterrupt {
  kind: 'interrupt'
  /** What a reply names. */
  id: string
  /** Reading after it shows what came later. */
  position: string
  content: HilInterruptContent
  /** JSON Schema that a reply must fit, if the application gave one. */
  replySchema?: JsonObject
}

/** Something to be shown; nobody waits for a reply. */
export interface ClientNotification {
  kind: 'notification'
  id: string
  position: string
  content: JsonObject
}

/** What comes out of a message stream. */
export type ClientMessage = ClientInterrupt | ClientNotification

/** The tool call, yes or no, or form that a question is about, if an agent asks by a `StreamChannel`. */
export function requestOf({ content }: ClientInterrupt): HitlRequest | undefined {
  const { type, detail } = content.body
  return /^Holdpoint(Approve|Confirm|Ask)$/.test(type) ? (detail as unknown as HitlRequest) : undefined
}

/** Whether a person has to see it: programs also ask each other for the progress of a remote tool. */
export function isForPeople(message: ClientMessage): message is ClientInterrupt {
  return message.kind === 'interrupt' && message.content.body?.type !== 'RemoteToolProgress'
}

/** The id of the question that a notification takes back: it was settled elsewhere, or the asker gave up. */
export function retractedBy(message: ClientMessage): string | undefined {
  if (message.kind !== 'notification') return undefined
  const body = message.content.body as JsonObject | undefined
  if (body?.type !== 'Retracted') return undefined
  return (body.detail as JsonObject | undefined)?.msg_id as string | undefined
}

/** Reads a message as it is on the wire. */
export function toMessage(position: unknown, wire: unknown): ClientMessage {
  const { msg_id: id, msg_type: type, content, reply_schema } = (wire ?? {}) as { [key: string]: JsonValue }
  if (typeof position !== 'string' || typeof id !== 'string' || typeof content !== 'object' || content === null) {
    throw new ClientError('invalid_response', 'The gateway sent a message that cannot be read.')
  }
  // What a newer gateway may send beside questions needs no reply either.
  if (type !== 'HIL_interrupt_request') return { kind: 'notification', id, position, content: content as JsonObject }
  const question = { kind: 'interrupt' as const, id, position, content: content as unknown as HilInterruptContent }
  return reply_schema ? { ...question, replySchema: reply_schema as JsonObject } : question
}

/** Reads what is open now, as it is on the wire. */
export function toOpen(list: unknown): ClientInterrupt[] {
  const items = (Array.isArray(list) ? list : []) as { redis_last_id: unknown; HIL_msg: unknown }[]
  return items
    .map(({ redis_last_id, HIL_msg }) => toMessage(redis_last_id, HIL_msg))
    .filter((message): message is ClientInterrupt => message.kind === 'interrupt')
}
