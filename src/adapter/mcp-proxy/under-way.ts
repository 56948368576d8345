/** Work that has begun and not ended, for an orderly end. */
export class UnderWay {
  readonly #work = new Set<Promise<unknown>>()

  track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.catch(() => undefined).finally(() => this.#work.delete(settled))
    this.#work.add(settled)
    return work
  }

  /** Resolves once all that is under way now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#work)
  }
}
