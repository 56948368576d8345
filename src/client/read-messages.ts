import { ClientError, TryAgain } from './client-error.ts'
import type { Connection } from './connection.ts'
import { events } from './events.ts'
import type { ReadingOptions } from './feed.ts'
import type { ClientMessage } from './message.ts'
import { poll } from './poll.ts'

/**
 * Where reading a stream stands. `gone`: the application ended the session, or it expired. `closed`: the reader left, or was refused.
 */
export type SessionState = 'connecting' | 'open' | 'retrying' | 'gone' | 'closed'

/** How a stream is read. */
export interface MessagesOptions {
  /** The position after which to begin. Left out: from the beginning, which shows every question that is still open. */
  after?: string
  /** Ends the reading quietly: the loop over the messages just ends. */
  signal?: AbortSignal
}

/** What readers of one client share: what one has found out about the way to the gateway, the others need not find out again. */
export interface Shared {
  connection: Connection
  options: ReadingOptions
  sse: 'untried' | 'works' | 'unusable'
}

const NO_SSE = 'Server-sent events do not work here, and polling was ruled out.'

/**
 * Yields the messages of a stream in order, over any number of connections, and ends when the stream is gone or the signal fires. Throws
 * `ClientError` when the gateway refuses to be read.
 */
export async function* readMessages(
  shared: Shared,
  session: string,
  { after = '0', signal, onState }: MessagesOptions & { onState?: (state: SessionState) => void },
): AsyncGenerator<ClientMessage, void, void> {
  const { connection, options } = shared
  const left = new AbortController()
  const ended = signal ? AbortSignal.any([signal, left.signal]) : left.signal
  let position = after
  let failures = 0
  let outcome: SessionState = 'closed'
  // Only once polling has found the stream is it known that it was not the stream that is missing.
  let sseFailed = false
  onState?.('connecting')
  try {
    while (!ended.aborted) {
      const bySse = options.transport !== 'poll' && shared.sse !== 'unusable' && !sseFailed
      const onOpen = (): void => {
        failures = 0
        if (options.transport === 'sse' && !bySse) throw new ClientError('refused', NO_SSE)
        if (bySse) shared.sse = 'works'
        else if (sseFailed) shared.sse = 'unusable'
        onState?.('open')
      }
      const feed = (bySse ? events : poll)({ connection, session, options, signal: ended, onOpen }, position)
      try {
        for (let step = await feed.next(); ; step = await feed.next()) {
          if (!step.done) {
            position = step.value.position
            yield step.value
          } else if (step.value === 'gone') {
            outcome = 'gone'
            return
          } else {
            sseFailed = true
            break
          }
        }
      } catch (error) {
        if (ended.aborted) return
        if (!(error instanceof TryAgain)) throw error
        // Something on the way may fail at this and not at plain requests.
        if (bySse && shared.sse === 'untried' && failures > 0 && error.status !== undefined) sseFailed = true
        onState?.('retrying')
        await connection.pauseAfter(++failures, error, ended)
      } finally {
        await feed.return('gone')
      }
    }
  } finally {
    left.abort()
    onState?.(outcome)
  }
}
