import { z } from 'zod'
import { wireMessage } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check, readJson } from '../http/body.ts'
import type { HttpCall } from '../http/endpoint.ts'
import { eventStream, eventText, HEARTBEAT, type Piece } from '../http/event-stream.ts'
import { jsonText, NOTHING, type Reply, toReply } from '../http/reply.ts'
import { lastEventId } from './events.ts'
import { inboxPosition, positionText } from './inbox-position.ts'
import { type InboxItem, type InboxNews, InboxReader } from './inbox-reader.ts'
import { TOO_MANY, waitTime } from './poll.ts'
import { timeLeft } from './visible-session.ts'

/** The body of `POST /hil/inbox`. */
export const inboxRequest = z.object({
  last_id: inboxPosition.prefault(''),
  timeout: z.number().int().min(0).default(30),
})

const item = z.object({ session_task_id: z.string(), redis_last_id: z.string(), HIL_msg: wireMessage() })

/** What `POST /hil/inbox` answers with 200. */
export const inboxResponse = z.object({
  last_id: z.string(),
  sessions: z.array(z.string()),
  complete: z.array(z.string()),
  open: z.array(item),
  messages: z.array(item),
})

const header = z.object({ last_event_id: inboxPosition.prefault('') })

/** All sessions of a caller over one connection: what is open, then messages and sessions as they come. */
export async function inboxEvents(parts: GatewayParts, caller: Caller, call: HttpCall): Promise<Reply> {
  const asked = check(header, { last_event_id: lastEventId(call) })
  if (!asked.ok) return toReply(asked.refusal)
  const slot = parts.waitSlots.enter(caller)
  if (!slot) return toReply(TOO_MANY.refusal)
  const reader = new InboxReader(parts, caller, { position: asked.value.last_event_id, signal: slot.signal })
  // Read before the response begins, so that an unreachable backend gives an error status.
  let first: InboxNews | undefined = await reader.begin().catch((error: unknown) => {
    slot.cancel()
    slot.end()
    throw error
  })
  const next = async (): Promise<Piece> => {
    if (first) {
      const text = toEvent(reader, first)
      first = undefined
      return { text }
    }
    const waitMs = Math.min(parts.settings.heartbeatMs, timeLeft(caller))
    if (waitMs <= 0) return { last: true }
    const news = await reader.next(waitMs)
    const text = news.map((each) => toEvent(reader, each)).join('')
    return { ...(text === '' ? (slot.signal.aborted ? {} : { text: HEARTBEAT }) : { text }), last: slot.signal.aborted }
  }
  return eventStream(parts, slot, { next, end: () => slot.cancel() })
}

function toEvent(reader: InboxReader, news: InboxNews): string {
  const id = positionText(reader.position)
  if (news.kind === 'sessions') {
    const { sessions, complete, open } = news
    return eventText('sessions', { sessions, complete, open }, id)
  }
  return eventText('messages', { messages: itemsOf(news) }, id)
}

function itemsOf(news: InboxNews): InboxItem[] {
  return news.kind === 'messages' ? news.items.map((item) => ({ session_task_id: news.session, ...item })) : []
}

/** What there is after all of it: what was open in a session that is gone, or was compared since, does not count any more. */
function together(
  first: Extract<InboxNews, { kind: 'sessions' }>,
  news: readonly InboxNews[],
): Omit<z.infer<typeof inboxResponse>, 'last_id'> {
  let { sessions, open } = first
  let messages: InboxItem[] = []
  for (const each of news) {
    messages.push(...itemsOf(each))
    if (each.kind !== 'sessions') continue
    const isOld = ({ session_task_id: id }: InboxItem) => each.complete.includes(id)
    sessions = each.sessions
    open = [...open.filter((item) => !isOld(item)), ...each.open]
    messages = messages.filter((item) => isNote(item) || !isOld(item))
  }
  const isThere = (item: InboxItem) => isNote(item) || sessions.includes(item.session_task_id)
  const complete = sessions.filter((id) => first.complete.includes(id))
  return { sessions, complete, open: open.filter(isThere), messages: messages.filter(isThere) }
}

function isNote({ HIL_msg }: InboxItem): boolean {
  return HIL_msg.msg_type === 'Notification'
}

/** The same by polling: what is open, when the position does not name all sessions there are; else what came after the position. */
export async function pollInbox(parts: GatewayParts, caller: Caller, call: HttpCall): Promise<Reply> {
  const json = await readJson(parts, call)
  const asked = json.ok ? check(inboxRequest, json.value) : json
  if (!asked.ok) return toReply(asked.refusal)
  const slot = parts.waitSlots.enter(caller)
  if (!slot) return toReply(TOO_MANY.refusal)
  if (call.request.signal.aborted) slot.cancel()
  else call.request.signal.addEventListener('abort', slot.cancel, { once: true })
  try {
    const { last_id: position, timeout } = asked.value
    const reader = new InboxReader(parts, caller, { position, signal: slot.signal })
    const first = await reader.begin()
    const same = first.sessions.length === position.size && first.sessions.every((id) => position.has(id))
    const news = await reader.next(same ? Math.max(0, waitTime(parts, { caller }, timeout)) : 0)
    if (same && news.length === 0) return NOTHING
    return jsonText(JSON.stringify({ last_id: positionText(reader.position), ...together(first, news) }))
  } finally {
    call.request.signal.removeEventListener('abort', slot.cancel)
    slot.cancel()
    slot.end()
  }
}
