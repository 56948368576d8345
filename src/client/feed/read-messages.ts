import type { ClientMessage } from '../message.ts'
import { events } from './events.ts'
import type { OpenNow } from './feed.ts'
import { poll } from './poll.ts'
import { type Reader, readFeed, type Shared } from './read-feed.ts'

/** How a stream is read. */
export interface MessagesOptions {
  /** The position after which to begin. Default: the beginning, which shows every question that is still open. */
  after?: string
  /** Ends the loop over the messages without an error. */
  signal?: AbortSignal
}

/** The messages of a stream in order, and what is open whenever a connection begins. */
export function readSession(
  shared: Shared,
  session: string,
  { after = '0', ...how }: MessagesOptions & Pick<Reader<unknown>, 'onState'> & { wantsOpen?: boolean },
): AsyncGenerator<ClientMessage | OpenNow, void, void> {
  const { wantsOpen = true, ...rest } = how
  return readFeed(shared, {
    ...rest,
    after,
    sse: (reading, position) => events(reading, session, position),
    poll: (reading, position) => poll(reading, { session, after: position, wantsOpen }),
    positionOf: (item) => (item.kind === 'open' ? undefined : item.position),
  })
}

/** The messages of a stream, in order. */
export async function* readMessages(
  shared: Shared,
  session: string,
  options: MessagesOptions,
): AsyncGenerator<ClientMessage, void, void> {
  for await (const item of readSession(shared, session, { ...options, wantsOpen: false })) {
    if (item.kind !== 'open') yield item
  }
}
