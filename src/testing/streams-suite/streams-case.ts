import type { Streams } from '../../ports/streams.ts'
import type { Skip } from '../run-cases.ts'

/** How a backend joins the suite. */
export interface StreamsHarness {
  /** Streams without any session. Every case makes its own and shuts them down. */
  create(): Promise<Streams>
  /** A second handle on the same sessions, as another process would have. */
  reopen?(streams: Streams): Promise<Streams>
  /** Puts something that is no message at the end of a session, past the port. */
  spoil?(streams: Streams, session: string): Promise<void>
  /** Cases that this backend cannot pass, and why. A name that is not a case is an error. */
  readonly skips?: readonly Skip[]
}

/** An invariant of the port. */
export type StreamsGuarantee = 'T1' | 'T2' | 'T3' | 'T4' | 'T5' | 'T6' | 'T7' | 'T8' | 'T9' | 'T10'

/** One thing that all message streams must do. `run` throws if they do not. */
export interface StreamsCase {
  /** The guarantee in words; unique in the suite. */
  readonly name: string
  readonly guarantee: StreamsGuarantee
  run(harness: StreamsHarness): Promise<void>
}
