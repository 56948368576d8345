import { ticks } from '../ports/clock.ts'

/** How long a lag is shown: long enough for every scrape to see it. */
const SHOWN_MS = 60_000

/**
 * How far behind a reader was with the rows that it read last. While nothing is written nobody reads, and a lag that is long over would look like one
 * that lasts: it is shown for a minute.
 */
export class Lag {
  readonly #now: () => number
  #ms = 0
  #at = Number.NEGATIVE_INFINITY

  /** `now`: a reading for measuring elapsed time. */
  constructor(now: () => number = () => ticks(undefined)) {
    this.#now = now
  }

  /** Rows were read this late. */
  was(ms: number): void {
    this.#ms = ms
    this.#at = this.#now()
  }

  get seconds(): number {
    return this.#now() - this.#at < SHOWN_MS ? this.#ms / 1000 : 0
  }
}
