/** How often is looked whether something is late. */
const LOOK_MS = 250

/** What came too late. */
export const LATE: unique symbol = Symbol('late')

interface Due {
  readonly at: number
  expire(): void
}

/**
 * Time limits that are hardly ever reached, such as those of bodies: one timer looks after all of them, since one for each request would cost
 * more than the limit is worth. They may be a quarter of a second late themselves.
 */
export class Deadlines {
  readonly #open = new Set<Due>()
  #timer: NodeJS.Timeout | undefined

  /** The work's outcome, or `LATE`. What the work comes to after that is no news any more; its failure is `failed`. */
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
