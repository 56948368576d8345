import type { Frame } from '../../core/state.ts'
import type { FrameKey } from '../../protocol/ids.ts'

const NONE: ReadonlySet<FrameKey> = new Set()

/** The model turns of nested runs that are under way in this process, in parallel. `check` throws what one of them failed with. */
export class NestedTurns {
  readonly #thinking = new Map<FrameKey, Promise<void>>()
  /** Made for the first turn: most runs have none. */
  #stop: AbortController | undefined
  #failures: unknown[] = []
  #wake: (() => void) | undefined

  /** The frames whose turn has not ended. */
  keys(): ReadonlySet<FrameKey> {
    return this.#thinking.size === 0 ? NONE : new Set(this.#thinking.keys())
  }

  /** Whether a turn is under way, or failed without having been reported by `check`. */
  get busy(): boolean {
    return this.#thinking.size > 0 || this.#failures.length > 0
  }

  /** Begins a turn. */
  start({ key }: Frame, turn: (signal: AbortSignal) => Promise<void>): void {
    this.#stop ??= new AbortController()
    const done = turn(this.#stop.signal)
      .catch((error: unknown) => this.#failures.push(error))
      .then(() => {
        this.#thinking.delete(key)
        this.#wake?.()
      })
    this.#thinking.set(key, done)
  }

  /** Settles when the next turn has ended. */
  ended(): Promise<void> {
    if (this.#failures.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Throws what a turn failed with. */
  check(): void {
    const [failure] = this.#failures.splice(0)
    if (failure !== undefined) throw failure
  }

  /** Stops unfinished turns and waits for their end. */
  async stop(reason: unknown): Promise<void> {
    this.#stop?.abort(reason)
    await Promise.allSettled(this.#thinking.values())
  }
}
