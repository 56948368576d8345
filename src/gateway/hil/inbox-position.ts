import { z } from 'zod'
import { sessionId, streamPosition } from '../../protocol/hil/hil.ts'

/** How far somebody has read each of their sessions. A session that is not in it is new to the reader. */
export type InboxPosition = ReadonlyMap<string, string>

const part = z.tuple([sessionId, streamPosition])
const PROBLEM = 'must be empty or a position that was told before'

/** `<session>=<position>`, with commas between. The whole of where a reader stands, so that any gateway can go on from it. */
export const inboxPosition = z.string().transform((text, context): InboxPosition => {
  const parts = text === '' ? [] : text.split(',').map((each) => part.safeParse(each.split('=')))
  const pairs = parts.flatMap(({ data }) => (data ? [data] : []))
  if (pairs.length < parts.length) {
    context.addIssue({ code: 'custom', message: PROBLEM })
    return z.NEVER
  }
  return new Map(pairs)
})

/** The same as text. */
export function positionText(position: InboxPosition): string {
  return [...position].map((pair) => pair.join('=')).join(',')
}
