import type { StreamMessage } from '../../ports/streams.ts'
import { type HilMessage, toWire, type WireMessage } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { isSettled } from './settled.ts'
import { isStillTheirs, maySee, type VisibleSession } from './visible-session.ts'

/** The position of a reader in a session. */
export interface Cursor {
  readonly session: VisibleSession
  /** The position that was read last. Grows with every message, also with hidden ones. */
  after: string
  /** Notifications were dropped before they were read. One of them may have said that a question is over. */
  gap?: boolean
}

/** A message for a client, as a poll answers with it. */
export interface Item {
  redis_last_id: string
  HIL_msg: WireMessage
}

/** What a read brought: messages, nothing in time, or the end of the session. */
export type Next = { kind: 'messages'; items: Item[] } | { kind: 'idle' } | { kind: 'gone' }

/**
 * Waits for the next messages of a session. Skips messages that cannot be decoded (and logs them), are not for the caller, or are settled by now.
 * A session that was closed and opened again for another owner is gone for its former readers.
 */
export async function nextMessages(
  parts: GatewayParts,
  cursor: Cursor,
  { waitMs, limit = 1, signal }: { waitMs: number; limit?: number; signal?: AbortSignal },
): Promise<Next> {
  const { session } = cursor
  const deadline = performance.now() + waitMs
  for (let left = waitMs; ; left = Math.max(0, deadline - performance.now())) {
    const read = await session.streams.read(session.id, {
      after: cursor.after,
      limit,
      waitMs: left,
      ...(signal ? { signal } : {}),
    })
    if (read.kind === 'missing') return { kind: 'gone' }
    if (read.kind === 'messages' && read.owner !== session.owner) return { kind: 'gone' }
    const last = read.kind === 'messages' ? read.messages.at(-1) : undefined
    if (read.kind === 'empty' || !last) {
      // A gateway that stops ends all waits. One last look, for what came in that moment.
      if (left > 0 && parts.waitSlots.stopped) return nextMessages(parts, cursor, { waitMs: 0, limit })
      // When a reviewer's last question is over, they may no longer see the session.
      return session.sees === 'all' || (await isStillTheirs(parts, session)) ? { kind: 'idle' } : { kind: 'gone' }
    }
    cursor.after = last.position
    if (read.gap) cursor.gap = true
    const items = await toItems(parts, session, read.messages)
    if (items.length > 0) return { kind: 'messages', items }
  }
}

/**
 * The fast path of a poll: the first message after a position, or the session if there is none. `undefined` if the caller does not own it, or the message
 * is not shown.
 */
export async function readOwn(
  parts: GatewayParts,
  caller: Caller,
  { id, after }: { id: string; after: string },
): Promise<Item | VisibleSession | undefined> {
  const streams = parts.streams(caller.tenant)
  const read = await streams.read(id, { after, limit: 1, owner: caller.sub })
  if (read.kind === 'missing') return undefined
  const session: VisibleSession = { id, streams, owner: caller.sub, caller, sees: 'all' }
  if (read.kind === 'empty') return session
  const items = toItems(parts, session, read.messages)
  return ('then' in items ? await items : items)[0]
}

/** Questions that are open now and are for the caller; `undefined` if the session is gone. */
export async function openQuestions(parts: GatewayParts, session: VisibleSession): Promise<Item[] | undefined> {
  const read = await session.streams.pending(session.id)
  if (read.kind === 'missing') return undefined
  if (read.kind === 'empty') return []
  return read.owner === session.owner ? toItems(parts, session, read.messages) : undefined
}

/** Without a desk nothing is settled elsewhere, and there is nothing to wait for. */
function toItems(
  parts: GatewayParts,
  session: VisibleSession,
  messages: readonly StreamMessage[],
): Item[] | Promise<Item[]> {
  const visible = messages.filter((each) => isVisible(parts, session, each))
  return parts.desk(session.caller.tenant) ? openItems(parts, session, visible) : visible.map(toItem)
}

type Readable = Extract<StreamMessage, { message: HilMessage }>

async function openItems(parts: GatewayParts, session: VisibleSession, visible: readonly Readable[]): Promise<Item[]> {
  const settled = await Promise.all(visible.map(({ message }) => isSettled(parts, session, message)))
  return visible.filter((_, i) => !settled[i]).map(toItem)
}

function toItem({ position, message }: Readable): Item {
  return { redis_last_id: position, HIL_msg: toWire(message) }
}

/** Whether a message can be decoded and is for the caller. */
function isVisible({ logger }: GatewayParts, session: VisibleSession, each: StreamMessage): each is Readable {
  if ('message' in each) return maySee(session, each.message)
  const { broken, position } = each
  logger?.warn({ session: session.id, position, problem: broken }, 'skipped a message that cannot be decoded')
  return false
}
