import { pause } from '../../ports/clock.ts'
import type { OutboxRow, OutboxStore } from '../../ports/outbox.ts'

/** What a reader of the outbox tells. */
export interface OutboxListener {
  /** Rows in their order, and the position after them. */
  onRows(rows: readonly OutboxRow[], end: string): void
  /** Rows may have been deleted before they were read. Reading goes on from `end`. */
  onMissed(end: string): void
  /** The store failed. Reading is tried again. */
  onError(error: unknown): void
}

/** How many rows one read takes. */
const PAGE = 500
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5000

/** Reads the outbox from its current end on, until it is stopped. Outages of the store only delay it. */
export class OutboxReader {
  readonly #store: OutboxStore
  readonly #listener: OutboxListener
  readonly #stopping = new AbortController()
  #failures = 0

  constructor(store: OutboxStore, listener: OutboxListener) {
    this.#store = store
    this.#listener = listener
  }

  /** Resolves to the position from which it reads. Throws if the store does not answer. */
  async start(): Promise<string> {
    const { end } = await this.#store.outbox()
    void this.#run(end)
    return end
  }

  /** Stops it. Nothing is told after that. */
  stop(): void {
    this.#stopping.abort()
  }

  async #run(from: string): Promise<void> {
    const { signal } = this.#stopping
    let after = from
    while (!signal.aborted) {
      try {
        after = await this.#turn(after)
        this.#failures = 0
      } catch (error) {
        if (signal.aborted) return
        this.#listener.onError(error)
        await pause(this.#delay(), { signal })
      }
    }
  }

  /** Reads one page, or waits for one. Resolves to the position after it. */
  async #turn(after: string): Promise<string> {
    const { signal } = this.#stopping
    const { rows, end, missed } = await this.#store.outbox({ after, limit: PAGE })
    if (signal.aborted) return after
    if (missed) this.#listener.onMissed(end)
    else if (rows.length > 0) this.#listener.onRows(rows, end)
    else await this.#store.outboxChanged({ after: end, signal })
    return end
  }

  #delay(): number {
    const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 16)
    return ms * (0.5 + Math.random() / 2)
  }
}
