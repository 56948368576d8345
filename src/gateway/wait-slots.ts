import type { Caller } from './auth/auth.ts'

/** The slot of one waiting poll or live connection. */
export interface WaitSlot {
  /** Fires when the caller left or the gateway stops. */
  readonly signal: AbortSignal
  /** Ends the wait now: the caller left. */
  readonly cancel: () => void
  /** Gives the slot back. Must be called, however the wait ended. */
  end(): void
}

/** How many waits are allowed. */
export interface WaitLimits {
  perCaller: number
  total: number
}

/** Limits concurrent waits, and ends all of them when the gateway stops. */
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

  /** Takes a slot; `undefined` if this caller, or all callers together, have too many. */
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

  /** Ends all waits, now and from now on. */
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
