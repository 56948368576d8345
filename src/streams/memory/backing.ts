import type { Clock } from '../../ports/clock.ts'
import type { Watches } from '../shared/watches.ts'
import type { MemorySession } from './memory-session.ts'

/** What all views of the same streams share. */
export interface Backing {
  readonly clock: Clock
  /** The longest sleep of a waiter. Short with a custom clock: nothing tells when it jumps. */
  readonly lookMs: number
  readonly maxNotifications: number
  readonly sessions: Map<string, MemorySession>
  readonly watches: Watches
  nextPosition(): string
  /** At this number of sessions, expired ones are removed. */
  forgetAt: number
  closed: boolean
}
