import type { LiveEvent } from '../../client.ts'
import { HitlNoPendingRequest } from '../../index.ts'
import type { Seat, SeatRequest } from '../seat/seat.ts'

/** A request with the number under which it is shown. A number is never given twice, so that none means something else while it is typed. */
export interface Numbered {
  readonly number: number
  request: SeatRequest
}

/** What a change did to the queue. */
export type News =
  | { kind: 'new'; item: Numbered }
  | { kind: 'changed'; item: Numbered }
  | { kind: 'gone'; item: Numbered }

/** How many requests are shown at first. */
const SHOWN = 50

/** The open requests of a seat, each with a number that it keeps. */
export class Queue {
  readonly #seat: Seat
  readonly #items = new Map<string, Numbered>()
  #last = 0
  /** Whether there are more than are shown. */
  more = false

  constructor(seat: Seat) {
    this.#seat = seat
  }

  /** Those that are open, in the order of their numbers. */
  get open(): Numbered[] {
    return [...this.#items.values()].filter(({ request }) => request.status === 'open')
  }

  at(number: number): Numbered | undefined {
    return [...this.#items.values()].find((item) => item.number === number)
  }

  /** Reads what is open, oldest first: what waits longest has the lowest number. */
  async load(): Promise<void> {
    const { requests, next } = await this.#seat.list({ status: 'open', limit: SHOWN })
    this.more = next !== undefined
    const ids = new Set(requests.map(({ id }) => id))
    for (const [id, { request }] of this.#items) if (request.status === 'open' && !ids.has(id)) await this.refresh(id)
    for (const request of requests.toReversed()) this.#put(request)
  }

  /** Takes what happened. `undefined`: nothing that is shown. */
  async take(event: LiveEvent): Promise<News | undefined> {
    if (event.type !== 'request') return undefined
    const known = this.#items.get(event.id)
    const before = known?.request
    const item = await this.refresh(event.id)
    if (!item) return undefined
    const { request } = item
    if (request.status !== 'open') return before?.status === 'open' ? { kind: 'gone', item } : undefined
    if (before?.status !== 'open') return { kind: 'new', item }
    return before.version === request.version ? undefined : { kind: 'changed', item }
  }

  /** Reads one request again. One that the person may no longer see is dropped. */
  async refresh(id: string): Promise<Numbered | undefined> {
    try {
      return this.#put(await this.#seat.get(id))
    } catch (error) {
      if (!(error instanceof HitlNoPendingRequest)) throw error
      this.#items.delete(id)
      return undefined
    }
  }

  #put(request: SeatRequest): Numbered | undefined {
    const known = this.#items.get(request.id)
    if (known) {
      known.request = request
      return known
    }
    if (request.status !== 'open') return undefined
    const item = { number: ++this.#last, request }
    this.#items.set(request.id, item)
    return item
  }
}
