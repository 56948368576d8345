import type { WakeUp } from '../ports/queue.ts'

/** What became of a wake-up that was offered. `dropped`: there is no room, and the store's mark remembers it. */
export type Offered = 'added' | 'known' | 'dropped'

/**
 * The wake-ups that wait in this process for a free slot.
 *
 * B1  Tenants take turns: one that has many waiting threads does not hold up the others.
 * B2  A thread waits once, however often it is offered.
 * B3  It never holds more than its limit. If it is full, a tenant that has less than the others gets a place of the tenant that has most.
 */
export class Backlog {
  readonly #limit: number
  /** By tenant, then by thread. The tenant whose turn comes next is first. */
  readonly #tenants = new Map<string, Map<string, WakeUp>>()
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How many threads wait. */
  get size(): number {
    return this.#size
  }

  /** Whether a thread of a tenant that already has its part would be dropped. */
  get isFull(): boolean {
    return this.#size >= this.#limit
  }

  /** Whether a thread of this tenant waits. */
  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId)
  }

  /** Adds a thread, unless it waits already or there is no room. */
  offer(wakeUp: WakeUp): Offered {
    const { tenantId, threadId } = wakeUp
    const waiting = this.#tenants.get(tenantId)
    if (waiting?.has(threadId)) return 'known'
    if (this.isFull && !this.#makeRoomFor(waiting?.size ?? 0)) return 'dropped'
    const threads = this.#tenants.get(tenantId) ?? new Map<string, WakeUp>()
    this.#tenants.set(tenantId, threads.set(threadId, wakeUp))
    this.#size += 1
    return 'added'
  }

  /** Takes the next thread of the first tenant that may run one; its turn comes again after the others'. */
  take(mayRun: (tenantId: string) => boolean): WakeUp | undefined {
    for (const [tenantId, threads] of this.#tenants) {
      if (!mayRun(tenantId)) continue
      const [first] = threads.values()
      if (!first) continue
      this.#remove(first)
      if (threads.size > 0) {
        this.#tenants.delete(tenantId)
        this.#tenants.set(tenantId, threads)
      }
      return first
    }
    return undefined
  }

  /** Takes everything out. */
  clear(): WakeUp[] {
    const all = [...this.#tenants.values()].flatMap((threads) => [...threads.values()])
    this.#tenants.clear()
    this.#size = 0
    return all
  }

  /** Drops the newest thread of the tenant that has most, if that is more than a newcomer would have. */
  #makeRoomFor(waiting: number): boolean {
    let most = new Map<string, WakeUp>()
    for (const threads of this.#tenants.values()) if (threads.size > most.size) most = threads
    const newest = [...most.values()].at(-1)
    if (!newest || most.size <= waiting + 1) return false
    this.#remove(newest)
    return true
  }

  #remove({ tenantId, threadId }: WakeUp): void {
    const threads = this.#tenants.get(tenantId)
    if (!threads?.delete(threadId)) return
    this.#size -= 1
    if (threads.size === 0) this.#tenants.delete(tenantId)
  }
}
