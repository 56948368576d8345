/** How often deadlines are checked. */
const LOOK_MS = 250

/** The outcome of work that missed its deadline. */
export const LATE: unique symbol = Symbol('late')

interface Due {
  readonly at: number
  expire(): void
}

/**
 * Deadlines that are rarely reached, such as those of request bodies. One timer serves all, since a timer for each request costs too much. A deadline
 * may fire up to a quarter of a second late.
 */
export class Deadlines {
  readonly #open = new Set<Due>()
  #timer: NodeJS.Timeout | undefined

  /** Resolves to the outcome of the work, to `failed` if it rejects, or to `LATE`. Later outcomes are ignored. */
  race<T, F>(work: Promise<T>, ms: number, failed: F): Promise<T | F | typeof LATE> {
    return new Promise((resolve) => {
      const due: Due = { at: performance.now() + ms, expire: () => resolve(LATE) }
      this.#open.add(due)
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
      const settle = (outcome: T | F): void => {
        this.#open.delete(due)
        resolve(outcome)
      }
      work.then(settle, () => settle(failed))
    })
  }

  #look(): void {
    const now = performance.now()
    for (const due of this.#open) {
      if (due.at > now) continue
      this.#open.delete(due)
      due.expire()
    }
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
