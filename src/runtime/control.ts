/** How a thread reaches into the activation that drives it: to detach it, and to make its loop look again. */
export class Control {
  readonly #detach = new AbortController()
  #waiter: (() => void) | undefined
  #nudged = false

  /** Whether the loop was told to leave the rest to others. */
  get detached(): boolean {
    return this.#detach.signal.aborted
  }

  /** Fires on `detach`. */
  get detachedSignal(): AbortSignal {
    return this.#detach.signal
  }

  /** Tells the loop to leave the rest to others. */
  detach(): void {
    this.#detach.abort()
    this.nudge()
  }

  /** Makes a waiting loop look at its state again; one that is not waiting yet will not wait. */
  nudge(): void {
    this.#nudged = true
    this.#waiter?.()
  }

  /** Settles when there was a nudge since the last time. */
  async nudged(): Promise<void> {
    if (!this.#nudged) {
      await new Promise<void>((resolve) => {
        this.#waiter = resolve
      })
    }
    this.#nudged = false
  }
}
