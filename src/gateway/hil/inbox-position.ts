import { z } from 'zod'
import { sessionId, streamPosition } from '../../protocol/hil/hil.ts'

/** The position of a reader in each of its sessions. A session that is not in it is new to the reader. */
export type InboxPosition = ReadonlyMap<string, string>

const part = z.tuple([sessionId(), streamPosition()])
const PROBLEM = 'must be empty or a position that the gateway sent'

/** `<session>=<position>`, separated by commas. It is the reader's whole state, so any gateway can continue from it. */
export const inboxPosition = z.string().transform((text, context): InboxPosition => {
  const parts = text === '' ? [] : text.split(',').map((each) => part.safeParse(each.split('=')))
  const pairs = parts.flatMap(({ data }) => (data ? [data] : []))
  if (pairs.length < parts.length) {
    context.addIssue({ code: 'custom', message: PROBLEM })
    return z.NEVER
  }
  return new Map(pairs)
})

/** Serialises a position. */
export function positionText(position: InboxPosition): string {
  return [...position].map((pair) => pair.join('=')).join(',')
}
