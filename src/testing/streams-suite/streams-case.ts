import type { Streams } from '../../ports/streams.ts'
import type { Skip } from '../run-cases.ts'

/** Connects a backend to the suite. */
export interface StreamsHarness {
  /** Streams without a session. Every case creates its own and shuts them down. */
  create(): Promise<Streams>
  /** A second handle on the same sessions, as another process would have. */
  reopen?(streams: Streams): Promise<Streams>
  /** Appends an invalid message to a session, past the port. */
  spoil?(streams: Streams, session: string): Promise<void>
  /** Cases that this backend cannot pass, with reasons. An unknown case name is an error. */
  readonly skips?: readonly Skip[]
}

/** An invariant of the port. */
export type StreamsGuarantee = 'T1' | 'T2' | 'T3' | 'T4' | 'T5' | 'T6' | 'T7' | 'T8' | 'T9' | 'T10'

/** One requirement for all message streams. `run` throws if it is not met. */
export interface StreamsCase {
  /** The requirement in words, unique in the suite. */
  readonly name: string
  readonly guarantee: StreamsGuarantee
  run(harness: StreamsHarness): Promise<void>
}
