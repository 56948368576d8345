import { type Clock, ticks } from '../../ports/clock.ts'
import { warn } from '../../ports/warnings.ts'

/** The store's time, as far as its replies say. Warns once if entries were dated by a clock that was ahead. */
export class StoreClock {
  readonly #threadId: string
  readonly #clock: Clock | undefined
  /** The store's time at its last reply. */
  #time: number | undefined
  #seenAt = 0
  #warned = false

  constructor(threadId: string, clock: Clock | undefined) {
    this.#threadId = threadId
    this.#clock = clock
  }

  /** The store replied at this time. */
  saw(time: number): void {
    this.#time = time
    this.#seenAt = ticks(this.#clock)
  }

  /** The time of the last reply plus the time that has passed here since. */
  now(): number {
    return (this.#time ?? 0) + Math.max(0, ticks(this.#clock) - this.#seenAt)
  }

  /** The time from which an entry counts. One that is dated in the future counts from now, so that nothing waits for that date. */
  timeOf(at: number, before = Number.NEGATIVE_INFINITY): number {
    const now = this.#time ?? Number.POSITIVE_INFINITY
    const aheadMs = Math.max(at - now, before - at)
    if (aheadMs > 0) this.#warn(aheadMs)
    return Math.min(at, now)
  }

  #warn(aheadMs: number): void {
    if (this.#warned) return
    this.#warned = true
    warn(
      'clock_ahead',
      `Entries of thread ${this.#threadId} were dated by a clock that was ${Math.ceil(aheadMs / 1000)} s ahead. Their times are wrong; delays count from when the entries are read.`,
    )
  }
}
