import { HitlDetached } from '../../protocol/errors/errors.ts'

/** Lets a thread, a channel or a body detach the loop that drives it, or make it read the journal again. */
export class LoopSignals {
  #detached = false
  #signal: AbortController | undefined
  /** Whether the loop has waited for people. Then it held the lease once, even if another process drives now. */
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

  /** Makes the loop check its state again: now if it is idle, else before it becomes idle. */
  nudge(): void {
    this.#nudged = true
    this.#wake?.()
  }

  /** Called when the loop checks its state: later nudges count. */
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
