import type { WakeUp } from '../ports/queue.ts'
import { Backlog } from './backlog.ts'
import { Slots } from './slots.ts'

/** A thread that is being driven. */
export interface PooledDrive {
  /** Drives it. Never rejects. */
  run(): Promise<void>
  /** Leaves the rest to others at the next safe point. */
  detach(): void
  /** Stops at once. */
  abort(): void
}

/** How much a pool takes. */
export interface PoolOptions {
  readonly concurrency: number
  readonly perTenant: number | undefined
  /** How many threads may wait for a slot. */
  readonly backlog: number
  /** Few threads wait, fewer than could be driven at once. */
  onHungry(): void
  start(wakeUp: WakeUp): PooledDrive
}

interface Running {
  readonly drive: PooledDrive
  readonly ended: Promise<void>
  /** It was offered again while it was driven. */
  again: boolean
}

/**
 * Drives threads, so many at once. Wake-ups wait in a backlog for a free slot.
 *
 * W1  A thread is driven once at a time here. One that is offered meanwhile is driven again afterwards: what it was offered for may have come after
 *     the last look of its driver.
 * W2  Once it is closed it starts nothing more.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #backlog: Backlog
  readonly #slots: Slots
  readonly #running = new Map<string, Running>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#backlog = new Backlog(options.backlog)
    this.#slots = new Slots({ total: options.concurrency, perTenant: options.perTenant })
  }

  /** How many threads are driven now. */
  get active(): number {
    return this.#slots.taken
  }

  /** How many threads wait for a slot. */
  get waiting(): number {
    return this.#backlog.size
  }

  /** How many threads it should be given besides those that it is woken for: what is needed soon, so that other workers find the rest. */
  get appetite(): number {
    if (this.#isClosed) return 0
    return Math.max(0, 2 * this.#options.concurrency - this.#slots.taken - this.#backlog.size)
  }

  /** Whether threads of this tenant are driven or wait here. */
  has(tenantId: string): boolean {
    return this.#slots.has(tenantId) || this.#backlog.has(tenantId)
  }

  /** Takes a wake-up. What does not fit is dropped: the store's mark remembers it. */
  offer(wakeUp: WakeUp): void {
    if (this.#isClosed) return
    const running = this.#running.get(keyOf(wakeUp))
    if (running) running.again = true
    else if (this.#backlog.offer(wakeUp) === 'added') this.#fill()
  }

  /** Takes a thread that was found in the store, unless it is known here. Returns whether it was taken. */
  refill(wakeUp: WakeUp): boolean {
    if (this.#isClosed || this.#running.has(keyOf(wakeUp))) return false
    const isAdded = this.#backlog.offer(wakeUp) === 'added'
    if (isAdded) this.#fill()
    return isAdded
  }

  /** Starts nothing more. Returns what waited. */
  close(): WakeUp[] {
    this.#isClosed = true
    return this.#backlog.clear()
  }

  /** Tells all drives to leave the rest to others. */
  detachAll(): void {
    for (const { drive } of this.#running.values()) drive.detach()
  }

  /** Stops all drives. */
  abortAll(): void {
    for (const { drive } of this.#running.values()) drive.abort()
  }

  /** Resolves when no thread is driven. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  #fill(): void {
    while (!this.#isClosed && this.#slots.hasFree) {
      const next = this.#backlog.take((tenantId) => this.#slots.isFreeFor(tenantId))
      if (!next) return
      this.#start(next)
    }
  }

  #start(wakeUp: WakeUp): void {
    const giveBack = this.#slots.take(wakeUp.tenantId)
    const drive = this.#options.start(wakeUp)
    const key = keyOf(wakeUp)
    const ended = drive.run().finally(() => {
      giveBack()
      const again = this.#running.get(key)?.again
      this.#running.delete(key)
      if (again) this.offer(wakeUp)
      this.#fill()
      if (this.#backlog.size < this.#options.concurrency / 2) this.#options.onHungry()
    })
    this.#running.set(key, { drive, ended, again: false })
  }
}

function keyOf({ tenantId, threadId }: WakeUp): string {
  return `${tenantId}\0${threadId}`
}
