interface Waiting<T> {
  resolve(result: T): void
  reject(error: unknown): void
}

/** Those who wait for the result of a call that they did not make. */
export class NextResult<T> {
  #waiting: Waiting<T>[] | undefined

  /** The result of the call under way, or of the next one. */
  next(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting ??= []
      this.#waiting.push({ resolve, reject })
    })
  }

  /** Tells them the result of a call. A failure is told only if nothing else is under way that will have a result. */
  async of(call: Promise<T>, isBusy: () => boolean): Promise<T> {
    try {
      const result = await call
      for (const { resolve } of this.#taken()) resolve(result)
      return result
    } catch (error) {
      if (!isBusy()) this.fail(error)
      throw error
    }
  }

  /** There will be no result. */
  fail(error: unknown): void {
    for (const { reject } of this.#taken()) reject(error)
  }

  #taken(): Waiting<T>[] {
    const taken = this.#waiting ?? []
    this.#waiting = undefined
    return taken
  }
}
