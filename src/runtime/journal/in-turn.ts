/** Does one piece of work after the other, until it is ended by an error, which everything later throws. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve()
  #error: Error | undefined

  /** Begins some work when all that was given before is done. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const begin = () => {
      if (this.#error) throw this.#error
      return work()
    }
    const done = this.#last.then(begin, begin)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Nothing begins any more. Returns the error, to be thrown by the work under way. */
  end<E extends Error>(error: E): E {
    this.#error = error
    return error
  }
}
