import type { StreamMessage } from '../../ports/streams.ts'
import { StreamsFailed } from '../../protocol/errors/errors.ts'
import { type HilMessage, type HilReply, hilMessage, hilReply, replyGroups } from '../../protocol/hil/hil.ts'
import { isUsualMessage } from '../shared/usual-message.ts'

/** An entry of a stream as Redis returns it: its position, then alternating names and values. */
export type RawEntry = readonly [position: string, fields: readonly string[]]

/** Decodes a message, or says why it cannot: what is stored is untrusted data, checked by a schema. */
export function decodeMessage([position, fields]: RawEntry): StreamMessage {
  const { v, msg_id, msg_type, content, meta } = record(fields)
  if (v !== '1') return { position, broken: v === undefined ? 'it is no message' : `it is of version ${v}` }
  try {
    const stored = { msg_id, msg_type, content: JSON.parse(content ?? '') as unknown }
    const message: unknown = meta ? { ...stored, ...JSON.parse(meta) } : stored
    if (isUsualMessage(message)) return { position, message: message as HilMessage }
    const { success, error } = hilMessage().safeParse(message)
    if (success) return { position, message: message as HilMessage }
    return { position, broken: error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') }
  } catch (error) {
    return { position, broken: (error as Error).message }
  }
}

/** A reply and its author. Only this package writes those that are found by the id of a question, so one that is none is damage. */
export function decodeReply(fields: readonly string[] | null | undefined): {
  reply: HilReply
  by?: string
  groups?: string[]
} {
  const { msg = '', by, groups } = record(fields ?? [])
  try {
    const reply = hilReply().parse(JSON.parse(msg))
    return { reply, ...(by ? { by } : {}), ...(groups ? { groups: replyGroups().parse(JSON.parse(groups)) } : {}) }
  } catch (error) {
    throw new StreamsFailed('A reply that Redis kept is damaged', error)
  }
}

function record(fields: readonly string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = Object.create(null)
  for (let i = 0; i + 1 < fields.length; i += 2) values[fields[i]!] = fields[i + 1]
  return values
}
