import { HitlDetached } from '../../protocol/errors.ts'

/** How a thread reaches into the activation that drives it: to detach it, and to make its loop look again. */
export class Control {
  #detached = false
  #signal: AbortController | undefined
  /** Whether the loop has waited for people: it was let in, whoever drives now. */
  stayed = false
  #wake: (() => void) | undefined
  #nudged = false

  /** Whether the loop was told to leave the rest to others. */
  get detached(): boolean {
    return this.#detached
  }

  /** Fires on `detach`, for whoever waits for something that is not stored. */
  get detachedSignal(): AbortSignal {
    this.#signal ??= new AbortController()
    if (this.#detached) this.#signal.abort(new HitlDetached(false))
    return this.#signal.signal
  }

  /** Tells the loop to leave the rest to others. */
  detach(): void {
    this.#detached = true
    this.#signal?.abort(new HitlDetached(false))
    this.nudge()
  }

  /** Makes the loop look at its state again: now if it waits, else before it would wait. */
  nudge(): void {
    this.#nudged = true
    this.#wake?.()
  }

  /** The loop looks now: nudges from here on are news. */
  look(): void {
    this.#nudged = false
  }

  /** Settles on the first nudge since the loop looked. */
  nudged(): Promise<void> {
    if (this.#nudged) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
