/** Those who hear of changes. */
export class Listeners<T> {
  readonly #listeners = new Set<(change: T) => void>()

  /** Tells each change from now on. Returns how to stop. */
  add(listener: (change: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(change: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch {
        // A listener's failure is its own business.
      }
    }
  }
}
