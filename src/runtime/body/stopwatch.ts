import { after, type Clock, ticks } from '../../ports/clock.ts'

/** Enforces the timeout of a body. Time in which it waits for people is not counted. */
export class Stopwatch {
  readonly #onExpired: () => void
  #leftMs: number | undefined
  #since = 0
  #pauses = 0
  readonly #clock: Clock | undefined
  #cancel: (() => void) | undefined

  constructor(seconds: number | undefined, onExpired: () => void, clock?: Clock) {
    this.#clock = clock
    this.#leftMs = seconds === undefined ? undefined : seconds * 1000
    this.#onExpired = onExpired
    this.#run()
  }

  /** Stops counting; waits may overlap. */
  pause(): void {
    if (this.#pauses++ > 0 || this.#leftMs === undefined) return
    this.#cancel?.()
    this.#leftMs -= ticks(this.#clock) - this.#since
  }

  /** Continues counting when the last wait is over. */
  resume(): void {
    if (--this.#pauses === 0) this.#run()
  }

  /** Stops it for good. */
  stop(): void {
    this.#cancel?.()
    this.#leftMs = undefined
  }

  #run(): void {
    if (this.#leftMs === undefined) return
    this.#since = ticks(this.#clock)
    this.#cancel = after(this.#leftMs, this.#onExpired, this.#clock)
  }
}
