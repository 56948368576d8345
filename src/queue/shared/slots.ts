/**
 * Limits how many handlers run at once where the engine cannot: a consumer of several BullMQ queues has a worker for each.
 */
export class Slots {
  #free: number
  #closed = false
  readonly #waiting: ((taken: boolean) => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Waits for a slot. `false`: the slots were closed. */
  take(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve(true)
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Gives a slot back. */
  release(): void {
    const next = this.#waiting.shift()
    if (next) next(true)
    else this.#free++
  }

  /** Gives out no more slots. */
  close(): void {
    this.#closed = true
    for (const refuse of this.#waiting.splice(0)) refuse(false)
  }
}
