import { performance } from 'node:perf_hooks'

/** How long results are handed out before the event loop has its turn. */
const SLICE_MS = 0.3

/** `then` on it runs a function as soon as the running code ends. */
const AT_ONCE = Promise.resolve()

/**
 * Hands out the results of a store so that turns of the event loop stay short. A result lets a thread go on, and all that the thread does until it waits
 * again runs at once. Where many results come together, that would be one turn, and timers and sockets would wait for it.
 *
 * T1  Results are handed out in the order in which they came.
 * T2  A result is handed out at once, unless others wait, or results have been handed out for a slice without a turn.
 * T3  Those that wait follow each other, each when the one before has nothing left to do, a slice in every turn.
 */
export class ShortTurns {
  readonly #waiting: (() => void)[] = []
  /** Whether somebody will look after those that wait. */
  #busy = false
  #atPause: (() => void) | undefined
  #began = 0
  #idle = -1

  /** For a result that is about to be returned: what it must wait for first, if anything. */
  pass(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined
    return new Promise((resolve) => this.give(resolve))
  }

  /** Calls a function that hands out one of several results. Not all of them at once: see T3. */
  give(result: () => void): void {
    this.#waiting.push(result)
    if (!this.#busy) this.#go()
  }

  /** Calls a function once the slice is over or nothing waits: after all that goes on together. The last one counts. */
  atPause(act: () => void): void {
    if (this.#busy) this.#atPause = act
    else queueMicrotask(act)
  }

  #pause(): void {
    const act = this.#atPause
    this.#atPause = undefined
    act?.()
  }

  #hasTime(): boolean {
    const now = performance.now()
    // A loop that has been idle since has had its turn. One that never is comes to its turn by a slice that is over.
    const idle = performance.nodeTiming.idleTime
    if (idle !== this.#idle) {
      this.#idle = idle
      this.#began = now
    }
    return now - this.#began < SLICE_MS
  }

  readonly #go = (): void => {
    this.#busy = this.#waiting.length > 0
    if (this.#busy && this.#hasTime()) return this.#next()
    if (this.#busy) setImmediate(this.#turn)
    this.#pause()
  }

  readonly #turn = (): void => {
    this.#began = performance.now()
    this.#next()
  }

  #next(): void {
    this.#waiting.shift()?.()
    // Ticks run when no microtask is left: then all that the result has started waits for something else.
    void AT_ONCE.then(() => process.nextTick(this.#go))
  }
}
