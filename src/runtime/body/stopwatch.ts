import { after, type Clock, ticks } from '../../ports/clock.ts'

/** Measures the time that a body may take, without the time in which it waits for people. */
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

  /** Goes on counting when the last wait is over. */
  resume(): void {
    if (--this.#pauses === 0) this.#run()
  }

  /** Ends it. */
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
