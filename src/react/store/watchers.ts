/** Those who are told of each change of something. */
export class Watchers {
  readonly #all = new Set<() => void>()

  /** Whether anybody watches. */
  get any(): boolean {
    return this.#all.size > 0
  }

  /** Adds a listener. The same one may be added twice. Returns how to remove it. */
  add(listener: () => void): () => void {
    const watcher = (): void => listener()
    this.#all.add(watcher)
    return () => void this.#all.delete(watcher)
  }

  /** Tells everybody who watches now. */
  tell(): void {
    for (const watcher of [...this.#all]) watcher()
  }
}
