import { z } from 'zod'
import { wireMessage } from '../../protocol/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { check, readJson } from '../http/body.ts'
import type { HttpCall } from '../http/endpoint.ts'
import { eventStream, eventText, HEARTBEAT, type Piece } from '../http/event-stream.ts'
import { jsonText, NOTHING, type Reply, toReply } from '../http/reply.ts'
import { lastEventId } from './events.ts'
import { inboxPosition, positionText } from './inbox-position.ts'
import { type InboxItem, type InboxNews, InboxReader } from './inbox-reader.ts'
import { TOO_MANY, waitTime } from './poll.ts'
import { timeLeft } from './session.ts'

/** The body of `POST /hil/inbox`. */
export const inboxRequest = z.object({
  last_id: inboxPosition.prefault(''),
  timeout: z.number().int().min(0).default(30),
})

const item = z.object({ session_task_id: z.string(), redis_last_id: z.string(), HIL_msg: wireMessage })

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
export async function inboxEvents(core: Core, caller: Caller, call: HttpCall): Promise<Reply> {
  const asked = check(header, { last_event_id: lastEventId(call) })
  if (!asked.ok) return toReply(asked.refusal)
  const wait = core.waits.enter(caller)
  if (!wait) return toReply(TOO_MANY.refusal)
  const reader = new InboxReader(core, caller, { position: asked.value.last_event_id, signal: wait.signal })
  let begun = false
  const next = async (): Promise<Piece> => {
    if (!begun) {
      begun = true
      return { text: toEvent(reader, await reader.begin()) }
    }
    const waitMs = Math.min(core.settings.heartbeatMs, timeLeft(caller))
    if (waitMs <= 0) return { last: true }
    const news = await reader.next(waitMs)
    const text = news.map((each) => toEvent(reader, each)).join('')
    return { ...(text === '' ? (wait.signal.aborted ? {} : { text: HEARTBEAT }) : { text }), last: wait.signal.aborted }
  }
  return eventStream(core, wait, { next, end: () => wait.cancel() })
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

/** The same by polling: what is open, when there is no position yet or a session came; else what came after the position. */
export async function pollInbox(core: Core, caller: Caller, call: HttpCall): Promise<Reply> {
  const json = await readJson(core, call)
  const asked = json.ok ? check(inboxRequest, json.value) : json
  if (!asked.ok) return toReply(asked.refusal)
  const wait = core.waits.enter(caller)
  if (!wait) return toReply(TOO_MANY.refusal)
  call.request.signal.addEventListener('abort', wait.cancel, { once: true })
  try {
    const { last_id: position, timeout } = asked.value
    const reader = new InboxReader(core, caller, { position, signal: wait.signal })
    const first = await reader.begin()
    const same =
      position.size > 0 && first.sessions.length === position.size && first.sessions.every((id) => position.has(id))
    const news = await reader.next(same ? Math.max(0, waitTime(core, { caller }, timeout)) : 0)
    if (same && news.length === 0) return NOTHING
    const sessions = news.findLast((each) => each.kind === 'sessions')?.sessions ?? first.sessions
    const open = [...first.open, ...news.flatMap((each) => (each.kind === 'sessions' ? each.open : []))]
    const messages = news.flatMap(itemsOf)
    const body = { last_id: positionText(reader.position), sessions, complete: first.complete, open, messages }
    return jsonText(JSON.stringify(body))
  } finally {
    call.request.signal.removeEventListener('abort', wait.cancel)
    wait.cancel()
    wait.end()
  }
}
