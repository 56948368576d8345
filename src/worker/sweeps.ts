import { sweep } from '../desk/expiry/sweep.ts'
import { type Clock, pause, ticks } from '../ports/clock.ts'
import { whenAborted } from '../ports/signals.ts'
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

const HOUR_MS = 3_600_000
const PRUNE_MS = HOUR_MS
/** How long rows of the outbox are kept. */
const OUTBOX_MS = 7 * 24 * HOUR_MS
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
 * P4  It takes only what can be driven soon, and looks again as soon as that is done: what lies in a backlog is not free for other workers.
 * P5  A tenant with many threads does not hide those of others: even if it needs no more, a tenant that has nothing here gets one in.
 */
export class Sweeps {
  readonly #parts: SweepsParts
  #after: ReadyThread | undefined
  /** There was more than it took. */
  #isMore = false
  /** How far it has looked for tenants that have nothing here, and when. */
  #ahead: ReadyThread | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #pause = new AbortController()

  constructor(parts: SweepsParts) {
    this.#parts = parts
  }

  /** Looks again now, if there was more than it took. */
  hurry(): void {
    if (this.#isMore) this.#pause.abort()
  }

  /** Sweeps until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { everyMs, clock, onEvent } = this.#parts
    const unlisten = whenAborted(signal, () => this.#pause.abort())
    while (!signal.aborted) {
      this.#pause = new AbortController()
      try {
        const deadlines = await this.#lead(signal)
        const found = (await this.#ready(signal)) + (await this.#others(signal))
        if (deadlines + found > 0) onEvent({ type: 'swept', deadlines, found })
      } catch (error) {
        this.#after = undefined
        this.#ahead = undefined
        onEvent({ type: 'error', what: 'a sweep failed', error })
      }
      if (!signal.aborted) await pause(everyMs, { signal: this.#pause.signal, clock })
    }
    unlisten()
  }

  /** What one of all workers does: records expired deadlines, and deletes what is too old now and then. */
  async #lead(signal: AbortSignal): Promise<number> {
    const { store, leader, clock, onEvent } = this.#parts
    if (!leader.leads) return 0
    if (ticks(clock) - this.#prunedAt >= PRUNE_MS) {
      this.#prunedAt = ticks(clock)
      await store.prune({ outboxMs: OUTBOX_MS })
    }
    const { expired, escalated, allowed, problems } = await sweep(store, { signal })
    for (const { error } of problems) onEvent({ type: 'error', what: 'a deadline cannot be recorded', error })
    return expired + escalated + allowed
  }

  async #ready(signal: AbortSignal): Promise<number> {
    const { store, pool, everyMs } = this.#parts
    let found = 0
    this.#isMore = false
    for (let page = 0; page < MOST_PAGES && !signal.aborted; page++) {
      const { threads, now } = await store.ready({ limit: PAGE, ...(this.#after ? { after: this.#after } : {}) })
      const late = this.#shuffled(threads.filter(({ at }) => at <= now - everyMs))
      for (const thread of late) {
        this.#isMore = pool.appetite === 0
        if (this.#isMore) return found
        if (this.#offer(thread)) found += 1
      }
      this.#after = late.length < PAGE ? undefined : threads.at(-1)
      if (!this.#after) break
    }
    return found
  }

  /** If there is more than it took: looks further, for tenants that have nothing here. */
  async #others(signal: AbortSignal): Promise<number> {
    const { store, pool, everyMs, clock } = this.#parts
    if (!this.#isMore || ticks(clock) - this.#lookedAt < everyMs) return 0
    this.#lookedAt = ticks(clock)
    let found = 0
    for (let page = 0; page < MOST_PAGES && !signal.aborted; page++) {
      const { threads, now } = await store.ready({ limit: PAGE, ...(this.#ahead ? { after: this.#ahead } : {}) })
      const late = threads.filter(({ at, tenantId }) => at <= now - everyMs && !pool.has(tenantId))
      for (const thread of late) if (!pool.has(thread.tenantId) && this.#offer(thread)) found += 1
      this.#ahead = threads.length < PAGE ? undefined : threads.at(-1)
      if (!this.#ahead) break
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
