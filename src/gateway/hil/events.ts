import { z } from 'zod'
import { sessionId, streamPosition } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check } from '../http/body.ts'
import type { HttpCall } from '../http/endpoint.ts'
import { eventStream, eventText, HEARTBEAT, type Piece } from '../http/event-stream.ts'
import { type Reply, toReply } from '../http/reply.ts'
import { type Cursor, type Item, nextMessages, openQuestions } from './next-messages.ts'
import { TOO_MANY } from './poll.ts'
import { readSessionId } from './session-id.ts'
import { findSession, timeLeft } from './visible-session.ts'

/** What `GET /hil/events` is asked with. */
export const eventsQuery = z.object({ session_task_id: sessionId(), redis_last_id: streamPosition().default('0') })

/** How many events are written together. */
const BATCH = 100
const GONE: Piece = { text: eventText('gone', {}), last: true }

/** The client's position. An empty header counts as absent. */
export function lastEventId(call: HttpCall): string | undefined {
  return call.header('last-event-id') || undefined
}

/** What is open now, then messages of a session as they come, from `Last-Event-ID` on. */
export async function events(parts: GatewayParts, caller: Caller, call: HttpCall): Promise<Reply> {
  const query = {
    session_task_id: call.query('session_task_id'),
    redis_last_id: lastEventId(call) ?? call.query('redis_last_id'),
  }
  const id = readSessionId(query)
  if (!id.ok) return toReply(id.refusal)
  const found = await findSession(parts, caller, id.value)
  if (!found.ok) return toReply(found.refusal)
  const asked = check(eventsQuery, query)
  if (!asked.ok) return toReply(asked.refusal)
  const slot = parts.waitSlots.enter(caller)
  if (!slot) return toReply(TOO_MANY.refusal)
  // What is open is sent first, and again after a gap in the log: the client may have missed that a question is over.
  const cursor: Cursor = { session: found.value, after: asked.value.redis_last_id, gap: true }
  return eventStream(parts, slot, { next: () => nextPiece(parts, cursor, slot.signal) })
}

async function nextPiece(parts: GatewayParts, cursor: Cursor, signal: AbortSignal): Promise<Piece> {
  if (cursor.gap) {
    cursor.gap = false
    const open = await openQuestions(parts, cursor.session)
    return open ? { text: eventText('open', { open }) } : GONE
  }
  const waitMs = Math.min(parts.settings.heartbeatMs, timeLeft(cursor.session.caller))
  if (waitMs <= 0) return { last: true }
  const next = await nextMessages(parts, cursor, { waitMs, limit: BATCH, signal })
  const last = signal.aborted
  switch (next.kind) {
    case 'idle':
      // Looking at what is open retracts what was settled elsewhere; the retraction is then the next message.
      if (!last && parts.desk(cursor.session.caller.tenant)) await openQuestions(parts, cursor.session)
      return last ? { last } : { text: HEARTBEAT }
    case 'gone':
      return GONE
    case 'messages':
      return { text: next.items.map(toEvent).join(''), last }
    default:
      return next satisfies never
  }
}

function toEvent({ redis_last_id, HIL_msg }: Item): string {
  return eventText(HIL_msg.msg_type, HIL_msg, redis_last_id)
}
