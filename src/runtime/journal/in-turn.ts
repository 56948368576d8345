const READY = Promise.resolve()

/** Does one piece of work after the other, until it is ended by an error, which everything later throws. */
export class InTurn {
  /** Over when all that was given is done. Absent if nothing is: the outcome of the last work is not kept. */
  #last: Promise<void> | undefined
  #error: Error | undefined

  /** Begins some work when all that was given before is done. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const begin = () => {
      if (this.#error) throw this.#error
      return work()
    }
    const done = (this.#last ?? READY).then(begin)
    const rest = (): void => {
      if (this.#last === last) this.#last = undefined
    }
    const last = done.then(rest, rest)
    this.#last = last
    return done
  }

  /** Over when all that was given so far is done, however it ended. */
  get over(): Promise<void> {
    return this.#last ?? READY
  }

  /** Whether it was ended by an error. */
  get isEnded(): boolean {
    return this.#error !== undefined
  }

  /** Nothing begins any more. Returns the error, to be thrown by the work under way. */
  end<E extends Error>(error: E): E {
    this.#error = error
    return error
  }
}
