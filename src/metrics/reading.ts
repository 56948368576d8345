/** How long a reading is used. */
const KEPT_MS = 5000

/** Tells of a failure. */
export type OnReadError = (error: unknown, message: string) => void

/** Something that is read from a store when metrics are asked for, at most every five seconds. While the store fails there is no value. */
export class Reading<T> {
  readonly #read: () => Promise<T>
  readonly #onError: (error: unknown) => void
  #value: T | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(read: () => Promise<T>, onError: (error: unknown) => void) {
    this.#read = read
    this.#onError = onError
  }

  get value(): T | undefined {
    return this.#value
  }

  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < KEPT_MS) return
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #readNow(): Promise<void> {
    try {
      this.#value = await this.#read()
      this.#readAt = performance.now()
    } catch (error) {
      this.#value = undefined
      this.#onError(error)
    }
  }
}
