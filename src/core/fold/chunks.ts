import { sha256 } from '../../protocol/json/canonical.ts'
import type { Message } from '../../protocol/message.ts'
import type { Transcript } from '../transcript.ts'
import { readShort, ShortWriter } from './short-messages.ts'

/**
 * How much of a conversation is in chunks: the first `messages`, in chunks 1 to `count`. `hash` is that of all of them in a row, so whoever trusts a
 * mark can check them.
 */
export interface ChunkMark {
  readonly count: number
  readonly hash: string
  readonly messages: number
}

/** Nothing is in chunks. */
export const NO_CHUNKS: ChunkMark = { count: 0, hash: '', messages: 0 }

/** A chunk that is longer takes no further message. */
const LONG = 262_144

/**
 * Puts the messages after a mark into chunks. They must be loaded. A chunk is its messages in their short form
 * (`short-messages.ts`), and is read alone.
 */
export function cutChunks(messages: Transcript, before: ChunkMark): { bodies: string[]; mark: ChunkMark } {
  const bodies: string[] = []
  let open: string[] = []
  let writer = new ShortWriter()
  let length = 0
  const close = () => {
    bodies.push(`[${open.join(',')}]`)
    open = []
    writer = new ShortWriter()
    length = 0
  }
  for (const message of messages.slice(before.messages)) {
    const text = writer.write(message)
    open.push(text)
    length += text.length
    if (length > LONG) close()
  }
  if (open.length > 0) close()
  const mark = {
    count: before.count + bodies.length,
    hash: bodies.reduce(link, before.hash),
    messages: messages.length,
  }
  return { bodies, mark }
}

/** The messages of the chunks that a mark names. `undefined`: they are not those. There may be more of them, of a later mark. */
export function joinChunks(bodies: readonly string[], { count, hash, messages }: ChunkMark): Message[] | undefined {
  const named = bodies.slice(0, count)
  if (named.length < count || named.reduce(link, NO_CHUNKS.hash) !== hash) return undefined
  const joined: Message[] = []
  try {
    // One by one: a text of all of them would be copied twice before it is parsed.
    for (const body of named) if (!readShort(JSON.parse(body) as unknown[], joined)) return undefined
  } catch {
    return undefined
  }
  return joined.length === messages ? joined : undefined
}

function link(before: string, body: string): string {
  return sha256(before + body)
}
