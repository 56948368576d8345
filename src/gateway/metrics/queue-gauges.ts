import type { RequestQueue } from '../../ports/store-lists.ts'
import { Gauge, type Metric } from './text.ts'

/** How long a reading is used. */
const KEPT_MS = 5000

/** The queue of a store, read when metrics are asked for. Without a store, or while it fails, the gauges have no samples. */
export class QueueGauges {
  readonly metrics: readonly Metric[]
  readonly #read: (() => Promise<RequestQueue>) | undefined
  readonly #onError: (error: unknown, message: string) => void
  #queue: RequestQueue | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(read: (() => Promise<RequestQueue>) | undefined, onError: (error: unknown, message: string) => void) {
    this.#read = read
    this.#onError = onError
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
    if (!this.#read || performance.now() - this.#readAt < KEPT_MS) return
    this.#reading ??= this.#readNow(this.#read).finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #readNow(read: () => Promise<RequestQueue>): Promise<void> {
    try {
      this.#queue = await read()
      this.#readAt = performance.now()
    } catch (error) {
      this.#queue = undefined
      this.#onError(error, 'the open requests could not be counted')
    }
  }

  #sample(value: (queue: RequestQueue) => number) {
    return this.#queue ? [{ labels: {}, value: value(this.#queue) }] : []
  }
}
