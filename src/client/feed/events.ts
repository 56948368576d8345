import { type ClientMessage, toMessage, toOpen } from '../message.ts'
import { dataOf, serverEvents } from './event-source.ts'
import type { Feed, OpenNow, Reading } from './feed.ts'

/** The messages of one stream by server-sent events. */
export async function* events(reading: Reading, session: string, after: string): Feed<ClientMessage | OpenNow> {
  const path = `/hil/events?session_task_id=${encodeURIComponent(session)}`
  const feed = serverEvents(reading, path, after === '0' ? '' : after)
  for (let step = await feed.next(); ; step = await feed.next()) {
    if (step.done) return step.value
    const event = step.value
    if (event.type === 'open') yield { kind: 'open', open: toOpen(dataOf(event).open) }
    if (event.type === 'HIL_interrupt_request' || event.type === 'Notification')
      yield toMessage(event.id, dataOf(event))
  }
}
