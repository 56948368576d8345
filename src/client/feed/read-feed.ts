import { ClientError, TryAgain } from '../client-error.ts'
import type { Connection } from '../connection.ts'
import type { Feed, Reading, ReadingOptions } from './feed.ts'

/**
 * Where reading stands. `gone`: the application ended the session, or it expired. `closed`: the reader left, or was refused.
 */
export type SessionState = 'connecting' | 'open' | 'retrying' | 'gone' | 'closed'

/** What all readers of one client share, such as whether server-sent events work. */
export interface Shared {
  connection: Connection
  options: ReadingOptions
  sse: 'untried' | 'works' | 'unusable'
  /** How many connections are held by long polls and event streams. */
  held: number
}

/** How something is read: the messages of a session, or an inbox. */
export interface Reader<T> {
  sse(reading: Reading, position: string): Feed<T>
  poll(reading: Reading, position: string): Feed<T>
  /** The position after an item, if it has one. */
  positionOf(item: T): string | undefined
  after: string
  signal?: AbortSignal | undefined
  onState?: ((state: SessionState, problem?: ClientError) => void) | undefined
}

/** How often in a row a reader that was accepted before may be refused for its token. Keys are rotated, and clocks differ. */
const MOST_REFUSED = 5

const NO_SSE = 'Server-sent events do not work here, and polling was ruled out.'

/**
 * Yields items over any number of connections. Ends when what is read is gone or the signal fires; throws `ClientError` when the gateway refuses.
 * Browsers have few connections for one server: beyond `maxConnections`, readers poll once a second instead of holding one.
 */
export async function* readFeed<T>(shared: Shared, reader: Reader<T>): AsyncGenerator<T, void, void> {
  const { connection, options } = shared
  const { signal, onState } = reader
  const left = new AbortController()
  const ended = signal ? AbortSignal.any([signal, left.signal]) : left.signal
  let position = reader.after
  let failures = 0
  let spoken = false
  let outcome: SessionState = 'closed'
  // Only once polling has found the stream is it known that it was not the stream that is missing.
  let sseFailed = false
  onState?.('connecting')
  try {
    while (!ended.aborted) {
      const holds = shared.held < options.maxConnections
      const bySse = options.transport !== 'poll' && shared.sse !== 'unusable' && !sseFailed && holds
      const onOpen = (): void => {
        failures = 0
        spoken = true
        if (options.transport === 'sse' && !bySse && holds) throw new ClientError('refused', NO_SSE)
        if (bySse) shared.sse = 'works'
        else if (sseFailed) shared.sse = 'unusable'
        onState?.('open')
      }
      const hasRoom = (): boolean => shared.held < options.maxConnections
      const reading: Reading = { connection, options, signal: ended, onOpen, holds, hasRoom }
      const feed = bySse ? reader.sse(reading, position) : reader.poll(reading, position)
      if (holds) shared.held += 1
      try {
        for (let step = await feed.next(); ; step = await feed.next()) {
          if (!step.done) {
            position = reader.positionOf(step.value) ?? position
            yield step.value
          } else if (step.value === 'gone') {
            outcome = 'gone'
            return
          } else {
            if (step.value === 'unusable') sseFailed = true
            break
          }
        }
      } catch (error) {
        if (ended.aborted) return
        const mayRenew = connection.renewsToken && failures < MOST_REFUSED
        const failure = toFailure(error, { spoken, mayRenew })
        // Something on the way may fail at this and not at plain requests.
        if (bySse && shared.sse === 'untried' && failures > 0 && failure.status !== undefined) sseFailed = true
        // Neither got through, so nothing is known about either.
        if (!bySse) sseFailed = false
        const { status } = failure
        onState?.('retrying', new ClientError('unreachable', failure.message, status === undefined ? {} : { status }))
        await connection.pauseAfter(++failures, failure, ended)
      } finally {
        if (holds) shared.held -= 1
        await feed.return('gone')
      }
    }
  } finally {
    left.abort()
    onState?.(outcome)
  }
}

/**
 * A failure that may pass; any other is thrown. Once a gateway has answered (`spoken`), a response that is not a gateway's comes from something on
 * the way, and a refused token may be replaced by a better one.
 */
function toFailure(error: unknown, { spoken, mayRenew }: { spoken: boolean; mayRenew: boolean }): TryAgain {
  if (error instanceof TryAgain) return error
  const passes =
    error instanceof ClientError && (error.code === 'invalid_response' || (error.code === 'unauthorized' && mayRenew))
  if (passes && spoken)
    return new TryAgain(
      error.detail,
      error.status === undefined ? { cause: error } : { status: error.status, cause: error },
    )
  throw error
}
