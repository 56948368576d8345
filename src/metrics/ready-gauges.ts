import type { ReadyPage } from '../ports/store-lists.ts'
import { type OnReadError, Reading } from './reading.ts'
import { Gauge, type Metric, type Sample } from './text.ts'

/** How many threads are counted. */
export const MOST_READY = 500

/** The threads of a store that must be driven and that nobody drives. Without a store, or while it fails, the gauges have no samples. */
export class ReadyGauges {
  readonly metrics: readonly Metric[]
  readonly #page: Reading<ReadyPage> | undefined

  constructor(read: (() => Promise<ReadyPage>) | undefined, onError: OnReadError) {
    this.#page = read && new Reading(read, (error) => onError(error, 'the threads that wait could not be counted'))
    this.metrics = [
      new Gauge(
        'holdpoint_ready_threads',
        `Threads of all tenants that must be driven and that nobody drives, counted up to ${MOST_READY}.`,
        () => this.#sample(({ threads }) => threads.length),
      ),
      new Gauge(
        'holdpoint_oldest_ready_thread_age_seconds',
        'How long the first of them has been due; 0 if there is none.',
        () => this.#sample(({ threads, now }) => Math.max(0, now - (threads[0]?.at ?? now)) / 1000),
      ),
    ]
  }

  /** Reads the store, unless that was done within the last five seconds. */
  async refresh(): Promise<void> {
    await this.#page?.refresh()
  }

  #sample(value: (page: ReadyPage) => number): Sample[] {
    const page = this.#page?.value
    return page ? [{ labels: {}, value: value(page) }] : []
  }
}
