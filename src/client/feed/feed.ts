import type { Connection } from '../connection.ts'
import type { ClientInterrupt } from '../message.ts'

/** How messages are read, with every default filled in. */
export interface ReadingOptions {
  transport: 'auto' | 'sse' | 'poll'
  pollTimeoutSeconds: number
  pollIntervalMs: number
  requestTimeoutMs: number
  /** After so long without a sign of life a connection counts as broken. */
  silenceMs: number
  maxConnections: number
}

/** One reading, of one stream or of all. */
export interface Reading {
  connection: Connection
  options: ReadingOptions
  /** Fires when the reader leaves. */
  signal: AbortSignal
  /** The gateway has answered. */
  onOpen(): void
  /** Whether it may hold a connection by long polling; if not, it polls once a second. */
  holds: boolean
  /** Whether one more connection may be held. */
  hasRoom(): boolean
}

/** What is open now, told by the gateway when a connection begins and when notifications were dropped. */
export interface OpenNow {
  kind: 'open'
  open: readonly ClientInterrupt[]
}

/**
 * Why a transport ends: the stream is gone, the transport does not work here, or a better one is possible now. Throws `TryAgain` when the connection
 * breaks, and the signal's reason when it fires.
 */
type FeedEnd = 'gone' | 'unusable' | 'again'

/** What comes over one transport. */
export type Feed<T> = AsyncGenerator<T, FeedEnd, void>
