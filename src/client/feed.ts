import type { Connection } from './connection.ts'
import type { ClientMessage } from './message.ts'

/** How messages are read, with every default filled in. */
export interface ReadingOptions {
  transport: 'auto' | 'sse' | 'poll'
  pollTimeoutSeconds: number
  pollIntervalMs: number
  requestTimeoutMs: number
  /** After so long without a sign of life a connection counts as broken. */
  silenceMs: number
}

/** One reading of one stream. */
export interface Reading {
  connection: Connection
  session: string
  options: ReadingOptions
  /** Fires when the reader leaves. */
  signal: AbortSignal
  /** The gateway has answered. */
  onOpen(): void
}

/**
 * Messages by one means of transport, until the stream is gone or the means turns out not to work here. Throws `TryAgain` when the
 * connection breaks, and the signal's reason when it fires.
 */
export type Feed = AsyncGenerator<ClientMessage, 'gone' | 'unusable', void>
