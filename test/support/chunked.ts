import { readShort } from '../../src/core/fold/short-messages.ts'
import type { Message } from '../../src/protocol/message.ts'

/** The messages in chunks, whatever a snapshot says of them. */
export function messagesIn(bodies: readonly string[]): Message[] {
  const messages: Message[] = []
  for (const body of bodies)
    if (!readShort(JSON.parse(body) as unknown[], messages)) throw new Error(`this is no chunk: ${body}`)
  return messages
}
