import type { Channel } from '../../ports/channel.ts'
import type { Skip } from '../run-cases.ts'

/** Connects a channel to the suite. */
export interface ChannelHarness {
  /** A channel without questions. Every case creates its own. */
  create(options?: { defaultTimeoutSeconds?: number | null }): Promise<OpenChannel>
  /** Cases that this channel cannot pass, with reasons. An unknown case name is an error. */
  readonly skips?: readonly Skip[]
}

/** A channel under test, and how to release its resources. */
export interface OpenChannel {
  readonly channel: Channel
  close?(): Promise<void>
}

/** An invariant of the port. */
export type ChannelGuarantee = 'C1' | 'C2' | 'C3' | 'C4' | 'C5'

/** One requirement for every channel. `run` throws if it is not met. */
export interface ChannelCase {
  /** The requirement in words, unique in the suite. */
  readonly name: string
  readonly guarantee: ChannelGuarantee
  run(harness: ChannelHarness): Promise<void>
}
