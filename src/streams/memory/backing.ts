import type { Clock } from '../../ports/clock.ts'
import type { Watches } from '../shared/watches.ts'
import type { MemorySession } from './memory-session.ts'

/** What all views of the same streams share. */
export interface Backing {
  readonly clock: Clock
  /** How long a waiter may sleep at most: nobody tells when a clock that was brought jumps. */
  readonly lookMs: number
  readonly maxNotifications: number
  readonly sessions: Map<string, MemorySession>
  readonly watches: Watches
  nextPosition(): string
  /** How many sessions there may be before expired ones are looked for. */
  roomy: number
  closed: boolean
}
