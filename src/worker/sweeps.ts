import { sweep } from '../desk/sweep.ts'
import { type Clock, pause } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { ReadyThread } from '../ports/store-lists.ts'
import type { WorkerListener } from './events.ts'
import type { Leader } from './leader.ts'
import type { Pool } from './pool.ts'
import { routeOfMark } from './shared/routes.ts'

/** What sweeps work with. */
export interface SweepsParts {
  readonly store: Store
  readonly pool: Pool
  readonly leader: Leader
  readonly routes: ReadonlySet<string>
  readonly everyMs: number
  readonly clock: Clock | undefined
  readonly random: () => number
  readonly onEvent: WorkerListener
}

const PAGE = 500
/** How many pages are read in one go. The next sweep goes on from there. */
const MOST_PAGES = 4

/**
 * Finds threads that are due and that nobody drives: their wake-up was lost, dropped because the backlog was full, or their worker died.
 *
 * P1  A thread is taken up only once it has been due for a whole sweep, so that its wake-up comes first wherever there is one, and workers do not all
 *     try the same thread.
 * P2  Each worker sweeps for its own routes. It needs no queue.
 * P3  Threads that other workers must drive do not hide those of this one: the next sweep goes on where this one ended.
 */
export class Sweeps {
  readonly #parts: SweepsParts
  #after: ReadyThread | undefined

  constructor(parts: SweepsParts) {
    this.#parts = parts
  }

  /** Sweeps until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { everyMs, clock, onEvent } = this.#parts
    while (!signal.aborted) {
      try {
        const deadlines = await this.#deadlines(signal)
        const found = await this.#ready(signal)
        if (deadlines + found > 0) onEvent({ type: 'swept', deadlines, found })
      } catch (error) {
        this.#after = undefined
        onEvent({ type: 'error', what: 'a sweep failed', error })
      }
      await pause(everyMs, { signal, clock })
    }
  }

  /** Records expired deadlines. One of all workers does it. */
  async #deadlines(signal: AbortSignal): Promise<number> {
    const { store, leader, onEvent } = this.#parts
    if (!leader.leads) return 0
    const { expired, escalated, allowed, problems } = await sweep(store, { signal })
    for (const { error } of problems) onEvent({ type: 'error', what: 'a deadline cannot be recorded', error })
    return expired + escalated + allowed
  }

  async #ready(signal: AbortSignal): Promise<number> {
    let found = 0
    for (let page = 0; page < MOST_PAGES && !signal.aborted && this.#parts.pool.hasRoom; page++) {
      const { threads, now } = await this.#parts.store.ready({
        limit: PAGE,
        ...(this.#after ? { after: this.#after } : {}),
      })
      const late = threads.filter(({ at }) => at <= now - this.#parts.everyMs)
      for (const thread of this.#shuffled(late)) if (this.#offer(thread)) found += 1
      this.#after = late.length < PAGE ? undefined : late.at(-1)
      if (!this.#after) break
    }
    return found
  }

  #offer(thread: ReadyThread): boolean {
    const { pool, routes } = this.#parts
    const { tenantId, threadId } = thread
    const route = routeOfMark(thread)
    return route !== undefined && routes.has(route) && pool.refill({ tenantId, threadId, route })
  }

  /** Several workers may find the same threads: each begins with others. */
  #shuffled(threads: readonly ReadyThread[]): ReadyThread[] {
    const { random } = this.#parts
    return threads
      .map((thread) => ({ thread, order: random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ thread }) => thread)
  }
}
