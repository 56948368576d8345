import { type ClientInterrupt, type ClientMessage, toMessage } from '../message.ts'
import { dataOf, serverEvents } from './event-source.ts'
import type { Feed, Reading } from './feed.ts'
import { ask, rest } from './poll.ts'

/** A message of an inbox, with the session that it belongs to. */
export type InboxMessage = ClientMessage & { session: string }
/** A question of an inbox. */
export type InboxInterrupt = ClientInterrupt & { session: string }

/** What the gateway tells about all sessions of a person. */
export interface InboxNews {
  position: string
  /** The sessions, if the event lists them. */
  sessions?: readonly string[]
  /** Sessions for which `open` is all that is open. */
  complete: readonly string[]
  open: readonly InboxInterrupt[]
  messages: readonly InboxMessage[]
}

/** By one response that goes on. */
export async function* inboxEvents(reading: Reading, after: string): Feed<InboxNews> {
  const feed = serverEvents(reading, '/hil/inbox/events', after)
  for (let step = await feed.next(); ; step = await feed.next()) {
    if (step.done) return step.value
    const { type, id } = step.value
    if (type === 'sessions' || type === 'messages') yield toNews(id, dataOf(step.value))
  }
}

/** By asking again and again. */
export async function* inboxPolls(reading: Reading, after: string): Feed<InboxNews> {
  const { options, signal, onOpen } = reading
  let position = after
  for (let seconds = 0, first = true; ; seconds = reading.holds ? options.pollTimeoutSeconds : 0, first = false) {
    const asked = Date.now()
    const body = { last_id: position, timeout: seconds }
    const answer = await ask(reading, { path: '/hil/inbox', body }, seconds)
    onOpen()
    if (answer && answer !== 'gone') {
      const news = toNews(String(answer.last_id), answer)
      position = news.position
      yield news
    } else if (!first || options.pollTimeoutSeconds === 0) {
      await rest(reading, { seconds, asked })
      signal.throwIfAborted()
      if (!reading.holds && reading.hasRoom()) return 'again'
    }
  }
}

function toNews(position: string, { sessions, complete, open, messages }: { [key: string]: unknown }): InboxNews {
  return {
    position,
    ...(Array.isArray(sessions) ? { sessions: sessions.map(String) } : {}),
    complete: Array.isArray(complete) ? complete.map(String) : [],
    open: toItems(open).filter((each): each is InboxInterrupt => each.kind === 'interrupt'),
    messages: toItems(messages),
  }
}

function toItems(list: unknown): InboxMessage[] {
  const items = (Array.isArray(list) ? list : []) as { [key: string]: unknown }[]
  return items.map(({ session_task_id, redis_last_id, HIL_msg }) => ({
    ...toMessage(redis_last_id, HIL_msg),
    session: String(session_task_id),
  }))
}
