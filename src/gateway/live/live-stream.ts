import type { OutboxRow } from '../../ports/outbox.ts'
import type { LiveEvent } from '../../protocol/api/records.ts'
import type { Caller } from '../auth/auth.ts'
import { eventText, type Piece } from '../http/event-stream.ts'
import { Feed, type FeedItem } from './feed.ts'
import type { Hub, JoinedFeed } from './hub.ts'
import { toLiveEvent } from './live-event.ts'
import type { Sight } from './sight.ts'

/** What a stream works with. */
export interface LiveStreamParts {
  readonly hub: Hub
  readonly joined: JoinedFeed
  readonly sight: Sight
  readonly signal: AbortSignal
  readonly heartbeatMs: number
  /** Who calls now. `undefined`: nobody any more, the sign-in is over. */
  readonly caller: () => Promise<Caller | undefined>
}

/** A client that missed more rows of its tenant than this loads everything again: that costs less than sending each of them. */
const MOST_RESUMED = 1000

/** How long a client waits for the reset after a request was erased: whoever erases one thread may erase thousands. */
const ERASED_MS = 2000

const RESET: LiveEvent = { type: 'reset' }
const OVER: Piece = { last: true }

/** The events of one client. It keeps no rows: only where it is in the feed of its tenant. */
export class LiveStream {
  readonly #parts: LiveStreamParts
  readonly #tenant: string
  /** The number of the row in the feed that comes next. */
  #next: number
  /** The position that the client was told last. */
  #told: string | undefined
  /** Rows that were sent when the stream resumed, and may come again from the feed. */
  #sent = new Set<string>()
  #expiresAt: number
  /** When the client is told to load everything again, because what it may show was erased: no event can name that. */
  #resetAt = Number.POSITIVE_INFINITY
  /** The position after which the client resumes. `null`: an id that cannot be used. */
  #resume: string | null | undefined

  constructor(parts: LiveStreamParts, caller: Caller, lastEventId: string | undefined) {
    this.#parts = parts
    this.#tenant = caller.tenant
    this.#expiresAt = caller.expiresAt ?? Number.POSITIVE_INFINITY
    this.#next = parts.joined.feed.next
    if (lastEventId !== undefined) this.#resume = parts.joined.ids.open(this.#tenant, lastEventId) ?? null
  }

  /** The next piece. Waits until there is something to tell, at most until the next heartbeat. */
  async next(): Promise<Piece> {
    if (this.#told === undefined) return this.#begin()
    const { feed } = this.#parts.joined
    const { signal, heartbeatMs } = this.#parts
    const deadline = performance.now() + heartbeatMs
    for (;;) {
      const until = Math.min(deadline, this.#resetAt) - performance.now()
      await feed.wait(this.#next, Math.min(until, this.#timeLeft()), signal)
      // Taken before the sign-in is read: rows that come meanwhile may have happened after it was revoked.
      const taken = feed.take(this.#next)
      const caller = signal.aborted ? undefined : await this.#caller()
      if (!caller) return OVER
      if (performance.now() >= this.#resetAt) return { text: this.#reset(feed) }
      if (taken.kind === 'late') return OVER
      if (taken.kind === 'reset') return { text: this.#reset(feed) }
      this.#next = taken.next
      const text = await this.#textOf(caller, taken.items)
      if (text !== '') {
        this.#told = taken.items.at(-1)?.row.position ?? taken.end
        return { text }
      }
      if (performance.now() >= deadline) return { text: this.#heartbeat(taken.end) }
    }
  }

  /** The first piece: an id from which the client can resume, and what it missed. */
  async #begin(): Promise<Piece> {
    const { feed } = this.#parts.joined
    const resume = this.#resume
    if (resume === null) return { text: this.#reset(feed) }
    if (resume === undefined) return { text: this.#idLine(feed.end) }
    const known = feed.numberAfter(resume)
    if (known === undefined) return this.#catchUp(resume)
    this.#next = known
    return { text: this.#idLine(resume) }
  }

  /** Reads from the store what the feed does not have. The feed may bring some of it again: those rows are skipped. */
  async #catchUp(after: string): Promise<Piece> {
    const { hub, joined } = this.#parts
    const { rows, end, missed } = await hub.page(this.#tenant, after, MOST_RESUMED)
    if (missed || rows.length >= MOST_RESUMED) return { text: this.#reset(joined.feed) }
    const caller = await this.#caller()
    if (!caller) return OVER
    this.#sent = new Set(rows.map(({ position }) => position))
    const own = new Feed(end)
    own.add(rows, end)
    let text = ''
    for (let from = 0; from < own.next; ) {
      const taken = own.take(from)
      if (taken.kind !== 'items') break
      text += await this.#textOf(caller, taken.items, false)
      from = taken.next
    }
    return { text: text + this.#idLine(end) }
  }

  /** The events of these rows that the caller may see. */
  async #textOf(caller: Caller, items: readonly FeedItem[], fresh = true): Promise<string> {
    const { sight } = this.#parts
    const news = fresh && this.#sent.size > 0 ? items.filter(({ row }) => !this.#sent.delete(row.position)) : items
    const seen = await Promise.all(news.map((item) => sight.seen(caller, item)))
    if (seen.includes('gone')) this.#resetAt = Math.min(this.#resetAt, performance.now() + ERASED_MS)
    return news.map((item, index) => (seen[index] === 'yes' ? item.text(() => this.#eventOf(item.row)) : '')).join('')
  }

  #eventOf(row: OutboxRow): string {
    const event = toLiveEvent(row)
    return event ? eventText('message', event, this.#parts.joined.ids.seal(this.#tenant, row.position)) : ''
  }

  #reset(feed: Feed): string {
    this.#next = feed.next
    this.#told = feed.end
    this.#sent.clear()
    this.#resetAt = Number.POSITIVE_INFINITY
    return eventText('message', RESET, this.#parts.joined.ids.seal(this.#tenant, feed.end))
  }

  /**
   * A heartbeat. It moves the client's position past rows that were not for it. Each has a new id, also if nothing happened anywhere: otherwise a
   * quiet client could tell when others are busy.
   */
  #heartbeat(end: string): string {
    return this.#idLine(end === '' ? (this.#told ?? '') : end)
  }

  /** Sets the client's last event id without an event. */
  #idLine(position: string): string {
    this.#told = position
    return `id: ${this.#parts.joined.ids.seal(this.#tenant, position)}\n\n`
  }

  /** The caller as the credential says now. A credential that became somebody else's ends the stream. */
  async #caller(): Promise<Caller | undefined> {
    if (this.#timeLeft() <= 0) return undefined
    const caller = await this.#parts.caller()
    if (!caller || caller.tenant !== this.#tenant) return undefined
    this.#expiresAt = caller.expiresAt ?? Number.POSITIVE_INFINITY
    return this.#timeLeft() > 0 ? caller : undefined
  }

  #timeLeft(): number {
    return this.#expiresAt - Date.now()
  }
}
