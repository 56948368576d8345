import type { OutboxRow } from '../../ports/outbox.ts'

/** One row of a feed, with what its delivery needs. It is made once, for all streams. */
export interface FeedItem {
  readonly row: OutboxRow
  /** Makes something once for this row, and keeps it, unless it fails. */
  shared<T>(name: string, make: () => Promise<T>): Promise<T>
  /** The event as it is sent. */
  text(make: () => string): string
}

/** What a stream takes from a feed. `late`: it fell so far behind that rows are gone. */
export type Taken =
  | { kind: 'items'; items: FeedItem[]; next: number; end: string }
  | { kind: 'reset' }
  | { kind: 'late' }

/** How many rows a feed keeps. A stream that is further behind is ended; its client resumes from the store. */
export const FEED_ROWS = 1000
/** How many rows a stream takes at once. */
const BATCH = 100

/** The newest rows of one tenant. Rows are numbered; a stream keeps the number of the row that it takes next. */
export class Feed {
  #items: FeedItem[] = []
  /** The number of the first item. */
  #first = 0
  /** Streams that were at a number below this must load everything again. */
  #resetAt = 0
  #end: string
  readonly #waiting = new Set<() => void>()

  constructor(end: string) {
    this.#end = end
  }

  /** The number of the row that comes next. */
  get next(): number {
    return this.#first + this.#items.length
  }

  /** The position after all rows, also those of other tenants. */
  get end(): string {
    return this.#end
  }

  /** Adds rows, and wakes the streams. */
  add(rows: readonly OutboxRow[], end: string): void {
    this.#end = end
    if (rows.length === 0) return
    for (const row of rows) this.#items.push(toItem(row))
    const excess = this.#items.length - FEED_ROWS
    if (excess > 0) {
      this.#items.splice(0, excess)
      this.#first += excess
    }
    this.#wake()
  }

  /** Rows were missed: every stream tells its client to load everything again. */
  reset(end: string): void {
    this.#first = this.next + 1
    this.#resetAt = this.#first
    this.#items = []
    this.#end = end
    this.#wake()
  }

  /** The number after the row with this position, if it is kept. */
  numberAfter(position: string): number | undefined {
    if (position === this.#end) return this.next
    const index = this.#items.findLastIndex(({ row }) => row.position === position)
    return index < 0 ? undefined : this.#first + index + 1
  }

  /** The rows from a number on, at most a batch of them. */
  take(from: number): Taken {
    if (from < this.#resetAt) return { kind: 'reset' }
    if (from < this.#first) return { kind: 'late' }
    const items = this.#items.slice(from - this.#first, from - this.#first + BATCH)
    const next = from + items.length
    return { kind: 'items', items, next, end: next === this.next ? this.#end : (items.at(-1)?.row.position ?? '') }
  }

  /** Resolves when there is something at this number, after that time, or when the signal fires. */
  wait(from: number, ms: number, signal: AbortSignal): Promise<void> {
    if (from !== this.next || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      // What is left of a time may be below zero by now, and Node warns of that.
      const timer = setTimeout(done, Math.max(0, ms))
      signal.addEventListener('abort', done)
      this.#waiting.add(done)
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

function toItem(row: OutboxRow): FeedItem {
  const made = new Map<string, Promise<unknown>>()
  let text: string | undefined
  return {
    row,
    shared<T>(name: string, make: () => Promise<T>): Promise<T> {
      const known = made.get(name)
      if (known !== undefined) return known as Promise<T>
      const fresh = make()
      made.set(name, fresh)
      fresh.catch(() => made.delete(name))
      return fresh
    },
    text(make) {
      text ??= make()
      return text
    },
  }
}
