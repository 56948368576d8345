/** Measures the time that a body may take, without the time in which it waits for people. */
export class Stopwatch {
  readonly #onExpired: () => void
  #leftMs: number | undefined
  #since = 0
  #pauses = 0
  #timer: NodeJS.Timeout | undefined

  constructor(seconds: number | undefined, onExpired: () => void) {
    this.#leftMs = seconds === undefined ? undefined : seconds * 1000
    this.#onExpired = onExpired
    this.#run()
  }

  /** Stops counting; waits may overlap. */
  pause(): void {
    if (this.#pauses++ > 0 || this.#leftMs === undefined) return
    clearTimeout(this.#timer)
    this.#leftMs -= performance.now() - this.#since
  }

  /** Goes on counting when the last wait is over. */
  resume(): void {
    if (--this.#pauses === 0) this.#run()
  }

  /** Ends it. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#leftMs = undefined
  }

  #run(): void {
    if (this.#leftMs === undefined) return
    this.#since = performance.now()
    this.#timer = setTimeout(this.#onExpired, Math.max(0, this.#leftMs))
  }
}
