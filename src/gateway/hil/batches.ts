import { z } from 'zod'
import { sessionId, streamPosition, wireMessage } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check } from '../http/body.ts'
import type { HttpCall } from '../http/endpoint.ts'
import { jsonText, NOTHING, type Reply, toReply } from '../http/reply.ts'
import { NO_STREAM } from '../refusal.ts'
import { nextMessages, openQuestions } from './next-messages.ts'
import { TOO_MANY, waitAt, waitTime } from './poll.ts'
import { readSessionId } from './session-id.ts'
import { findSession } from './visible-session.ts'

/** How many messages are handed out together, at most. */
const MOST_MESSAGES = 1000

/** What `GET /hil/open` is asked with. */
export const openQuery = z.object({ session_task_id: sessionId() })

/** What `GET /hil/messages` is asked with. */
export const messagesQuery = z.object({
  session_task_id: sessionId(),
  after: streamPosition().default('0'),
  limit: z.coerce.number().int().min(1).max(MOST_MESSAGES).default(100),
  timeout: z.coerce.number().int().min(0).default(0),
})

const item = z.object({ redis_last_id: z.string(), HIL_msg: wireMessage() })

/** What `GET /hil/open` answers with 200. */
export const openResponse = z.object({ open: z.array(item) })

/** What `GET /hil/messages` answers with 200. `gap`: notifications after the position asked for have been dropped. */
export const messagesResponse = z.object({
  redis_last_id: z.string(),
  messages: z.array(item),
  gap: z.literal(true).optional(),
})

/** What is open now in a session, however long its log is. */
export async function open(parts: GatewayParts, caller: Caller, call: HttpCall): Promise<Reply> {
  const id = readSessionId({ session_task_id: call.query('session_task_id') })
  if (!id.ok) return toReply(id.refusal)
  const found = await findSession(parts, caller, id.value)
  if (!found.ok) return toReply(found.refusal)
  const items = await openQuestions(parts, found.value)
  return items ? jsonText(JSON.stringify({ open: items })) : toReply(NO_STREAM.refusal)
}

/** Messages after a position, many at a time. */
export async function messages(parts: GatewayParts, caller: Caller, call: HttpCall): Promise<Reply> {
  const query = Object.fromEntries(Object.keys(messagesQuery.shape).map((name) => [name, call.query(name)]))
  const id = readSessionId(query)
  if (!id.ok) return toReply(id.refusal)
  const found = await findSession(parts, caller, id.value)
  if (!found.ok) return toReply(found.refusal)
  const asked = check(messagesQuery, query)
  if (!asked.ok) return toReply(asked.refusal)
  const { after, limit, timeout } = asked.value
  const cursor = { session: found.value, after, gap: false }
  const waitMs = waitTime(parts, found.value, timeout)
  const ready = await nextMessages(parts, cursor, { waitMs: 0, limit })
  const next =
    ready.kind === 'idle' && waitMs > 0
      ? await waitAt(parts, cursor, { waitMs, limit, gone: call.request.signal })
      : ready
  switch (next.kind) {
    case 'messages': {
      const gap = cursor.gap ? { gap: true } : {}
      return jsonText(JSON.stringify({ redis_last_id: cursor.after, messages: next.items, ...gap }))
    }
    case 'idle':
      return NOTHING
    case 'gone':
      return toReply(NO_STREAM.refusal)
    case 'crowded':
      return toReply(TOO_MANY.refusal)
    default:
      return next satisfies never
  }
}
