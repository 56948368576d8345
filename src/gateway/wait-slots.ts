import type { Caller } from './auth/auth.ts'

/** Something that waits for a message: a poll, or a live connection. */
export interface WaitSlot {
  /** Fires when nobody waits any more, or the gateway stops. */
  readonly signal: AbortSignal
  /** Ends it now, because whoever waited went away. */
  readonly cancel: () => void
  /** Gives its place back. Must be called once it is over, however it ended. */
  end(): void
}

/** How many may wait. */
export interface WaitLimits {
  perCaller: number
  total: number
}

/** Counts who waits, and lets go of all of them when the gateway stops. */
export class WaitSlots {
  readonly #limits: WaitLimits
  readonly #open = new Set<AbortController>()
  readonly #byCaller = new Map<string, number>()
  #stopped = false

  constructor(limits: WaitLimits) {
    this.#limits = limits
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** A place to wait at; `undefined` if this caller, or all together, wait too often already. */
  enter({ tenant, sub }: Caller): WaitSlot | undefined {
    const key = `${tenant.length}:${tenant}${sub}`
    const mine = this.#byCaller.get(key) ?? 0
    if (mine >= this.#limits.perCaller || this.#open.size >= this.#limits.total) return undefined
    const controller = new AbortController()
    if (this.#stopped) controller.abort()
    this.#open.add(controller)
    this.#byCaller.set(key, mine + 1)
    return {
      signal: controller.signal,
      cancel: () => controller.abort(),
      end: () => {
        if (this.#open.delete(controller)) this.#leave(key)
      },
    }
  }

  /** Wakes all who wait; from now on nobody waits. */
  stop(): void {
    this.#stopped = true
    for (const controller of this.#open) controller.abort()
  }

  #leave(key: string): void {
    const left = (this.#byCaller.get(key) ?? 1) - 1
    if (left > 0) this.#byCaller.set(key, left)
    else this.#byCaller.delete(key)
  }
}
