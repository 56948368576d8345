/**
 * A promise that knows whether it was awaited. `run(agent, state)` waits for decisions that were not awaited and throws their errors; an awaited one
 * has already thrown its own. It never becomes an unhandled rejection.
 */
export class Settling<T> extends Promise<T> {
  #observed = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** Wraps a promise. */
  static of<T>(work: Promise<T>): Settling<T> {
    const settling = new Settling<T>((resolve, reject) => {
      work.then(resolve, reject)
    })
    Promise.prototype.then.call(settling, undefined, () => undefined)
    return settling
  }

  /** Whether it was awaited. */
  get observed(): boolean {
    return this.#observed
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise that notices being awaited has to override then
  override then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#observed = true
    return super.then(onfulfilled, onrejected)
  }
}
