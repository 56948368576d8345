/** Work that was begun and is not over. */
export class UnderWay {
  #all: readonly Promise<unknown>[] | undefined

  get all(): readonly Promise<unknown>[] {
    return this.#all ?? []
  }

  /** Waits for some work, which counts until it is over. */
  async add(work: Promise<unknown>): Promise<void> {
    this.#all = [...this.all, work]
    await work.finally(() => {
      this.#all = this.#all?.filter((other) => other !== work)
    })
  }
}
