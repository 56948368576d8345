import type { RequestQueue } from '../ports/store-lists.ts'
import { type OnReadError, Reading } from './reading.ts'
import { Gauge, type Metric, type Sample } from './text.ts'

/** The open requests of a store. Without a store, or while it fails, the gauges have no samples. */
export class QueueGauges {
  readonly metrics: readonly Metric[]
  readonly #queue: Reading<RequestQueue> | undefined

  constructor(read: (() => Promise<RequestQueue>) | undefined, onError: OnReadError) {
    this.#queue = read && new Reading(read, (error) => onError(error, 'the open requests could not be counted'))
    this.metrics = [
      new Gauge('holdpoint_open_requests', 'Open requests of all tenants, counted up to 10000.', () =>
        this.#sample(({ open }) => open),
      ),
      new Gauge(
        'holdpoint_oldest_open_request_age_seconds',
        'Age of the oldest open request; 0 if there is none.',
        () => this.#sample(({ oldestAt, now }) => (oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000)),
      ),
    ]
  }

  /** Reads the queue, unless that was done within the last five seconds. */
  async refresh(): Promise<void> {
    await this.#queue?.refresh()
  }

  #sample(value: (queue: RequestQueue) => number): Sample[] {
    const queue = this.#queue?.value
    return queue ? [{ labels: {}, value: value(queue) }] : []
  }
}
