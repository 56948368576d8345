import type { Channel } from '../../ports/channel.ts'
import type { Skip } from '../run-cases.ts'

/** How a channel joins the suite. */
export interface ChannelHarness {
  /** A channel with nothing asked on it. Every case makes its own. */
  create(options?: { defaultTimeoutSeconds?: number | null }): Promise<OpenChannel>
  /** Cases that this channel cannot pass, and why. A name that is not a case is an error. */
  readonly skips?: readonly Skip[]
}

/** A channel under test, and how to let go of what it is made of. */
export interface OpenChannel {
  readonly channel: Channel
  close?(): Promise<void>
}

/** An invariant of the port. */
export type ChannelGuarantee = 'C1' | 'C2' | 'C3' | 'C4' | 'C5'

/** One thing that every channel must do. `run` throws if it does not. */
export interface ChannelCase {
  /** The guarantee in words; unique in the suite. */
  readonly name: string
  readonly guarantee: ChannelGuarantee
  run(harness: ChannelHarness): Promise<void>
}
