/** How many results are kept. */
const MOST = 200

/** Keeps results that are costly to compute for a short time. Callers that ask for the same at the same time share one computation. */
export class Recent<T> {
  readonly #keptMs: number
  readonly #results = new Map<string, { at: number; result: Promise<T> }>()

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /** The result for a key, computed if there is no recent one. A failure is not kept. */
  get(key: string, compute: () => Promise<T>): Promise<T> {
    const known = this.#results.get(key)
    if (known && performance.now() - known.at < this.#keptMs) return known.result
    if (this.#results.size >= MOST) this.#results.clear()
    const result = compute()
    this.#results.set(key, { at: performance.now(), result })
    result.catch(() => this.#results.delete(key))
    return result
  }
}
