import type { CallScope } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { Activation } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import type { LoopSignals } from './loop-signals.ts'
import type { WaitingBodies } from './waiting-bodies.ts'

/** What the waits of bodies need. */
export interface WaitParts {
  readonly journal: Journal
  readonly activation: Activation
  readonly channel: Channel | undefined
  /** Set for live threads, which code of a body can call. */
  readonly scope: CallScope | undefined
  readonly waiting: WaitingBodies
  readonly signals: LoopSignals
  readonly signal: AbortSignal
  readonly newId: IdSource
}
