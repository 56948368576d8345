import { HitlDetached } from '../../protocol/errors/errors.ts'

/** How a thread, a channel or a body reaches the loop that drives it: to detach it, and to make it look at the journal again. */
export class LoopSignals {
  #detached = false
  #signal: AbortController | undefined
  /** Whether the loop has waited for people: then it held the lease once, whoever drives now. */
  stayed = false
  #wake: (() => void) | undefined
  #nudged = false

  /** Whether the loop was told to leave the rest to others. */
  get detached(): boolean {
    return this.#detached
  }

  /** Fires on `detach`, for waits that are not stored. */
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

  /** Makes the loop look at its state again: now if it is idle, else before it would be. */
  nudge(): void {
    this.#nudged = true
    this.#wake?.()
  }

  /** The loop looks now: later nudges count. */
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
