import { streamNames } from '../../core/access.ts'
import { sessionId } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { InboxPosition } from './inbox-position.ts'
import { type Cursor, type Item, nextMessages, openQuestions } from './next-messages.ts'
import { findSession } from './visible-session.ts'

/** News in the sessions of a caller. */
export type InboxNews =
  | { kind: 'messages'; session: string; items: Item[]; after: string }
  /** The sessions, after one came or went. `open` holds all open questions of the sessions in `complete`: new ones, and ones with a gap in their log. */
  | { kind: 'sessions'; sessions: string[]; complete: string[]; open: InboxItem[] }

/** A message with the session that it belongs to. */
export interface InboxItem extends Item {
  session_task_id: string
}

/** How many messages of one session are read together, and how long one read waits. */
const BATCH = 100
const READ_MS = 30_000

/**
 * Reads all sessions of a caller together: their own, and those in which a question names them as a reviewer. Each session has its own loop, which
 * continues when its news was taken. So a busy session does not delay the others, and nothing piles up.
 */
export class InboxReader {
  readonly #parts: GatewayParts
  readonly #caller: Caller
  readonly #signal: AbortSignal
  /** The last position that was taken, by session. */
  readonly #position: Map<string, string>
  readonly #reading = new Map<string, Cursor & { stop: AbortController }>()
  #news: { news: InboxNews; taken: () => void }[] = []
  #wake: () => void = () => undefined
  #unread: string[] = []
  #relist = new AbortController()
  #failure: { error: unknown } | undefined

  constructor(
    parts: GatewayParts,
    caller: Caller,
    { position, signal }: { position: InboxPosition; signal: AbortSignal },
  ) {
    this.#parts = parts
    this.#caller = caller
    this.#signal = signal
    this.#position = new Map(position)
  }

  /** The position after everything that was taken. */
  get position(): InboxPosition {
    return this.#position
  }

  /** Starts reading and resolves to what is open now. A session without a position is read from its end, so a long log costs nothing. */
  async begin(): Promise<Extract<InboxNews, { kind: 'sessions' }>> {
    const first = await this.#list(0)
    const fresh = this.#position.size === 0
    const came = await Promise.all(first.map((session) => this.#open(session, fresh)))
    for (const session of this.#position.keys()) if (!this.#reading.has(session)) this.#position.delete(session)
    for (const cursor of this.#reading.values()) this.#start(this.#pump(cursor))
    this.#start(this.#watch())
    return { kind: 'sessions', sessions: this.#names(), complete: this.#names(), open: came.flat() }
  }

  /** Resolves to the news that arrived within that time, if any. Throws if a read failed. */
  async next(waitMs: number): Promise<InboxNews[]> {
    if (this.#news.length === 0 && !this.#failure && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs)
        this.#signal.addEventListener('abort', this.#stop, { once: true })
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#signal.removeEventListener('abort', this.#stop)
    }
    if (this.#failure) throw this.#failure.error
    const taken = this.#news
    this.#news = []
    for (const each of taken) {
      if (each.news.kind === 'messages') this.#position.set(each.news.session, each.news.after)
      each.taken()
    }
    return taken.map(({ news }) => news)
  }

  readonly #stop = (): void => this.#wake()

  #names(): string[] {
    return [...this.#reading.keys()]
  }

  #start(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#failure ??= { error }
      this.#wake()
    })
  }

  /** Resolves when the news was taken. */
  #tell(news: InboxNews): Promise<void> {
    return new Promise((taken) => {
      this.#news.push({ news, taken })
      this.#wake()
    })
  }

  /** Lists the sessions to read. Sessions that cannot be read, or exceed the limit, are noted too, so that they are not reported as new. */
  async #list(waitMs: number, signal?: AbortSignal): Promise<string[]> {
    const streams = this.#parts.streams(this.#caller.tenant)
    const wait = {
      names: streamNames(this.#caller),
      known: [...this.#names(), ...this.#unread],
      waitMs,
      ...(signal ? { signal } : {}),
    }
    const found = (await streams.sessions(this.#caller.sub, wait)).map(({ session }) => session)
    const names = found.filter((session) => sessionId().safeParse(session).success)
    const readable = names.slice(0, this.#parts.settings.maxInboxSessions)
    this.#unread = found.filter((session) => !readable.includes(session))
    return readable
  }

  /** Starts reading a session; resolves to its open questions. */
  async #open(id: string, fromItsEnd: boolean): Promise<InboxItem[]> {
    const found = await findSession(this.#parts, this.#caller, id)
    if (!found.ok) return []
    const session = found.value
    const end = fromItsEnd ? (await session.streams.describe(id, { last: true }))?.last : undefined
    const after = this.#position.get(id) ?? end ?? '0'
    const open = await openQuestions(this.#parts, session)
    if (!open) return []
    this.#position.set(id, after)
    this.#reading.set(id, { session, after, stop: new AbortController() })
    return open.map((item) => ({ session_task_id: id, ...item }))
  }

  async #pump(cursor: Cursor & { stop: AbortController }): Promise<void> {
    const { id } = cursor.session
    const signal = AbortSignal.any([this.#signal, cursor.stop.signal])
    while (!signal.aborted) {
      const next = await nextMessages(this.#parts, cursor, { waitMs: READ_MS, limit: BATCH, signal })
      if (cursor.stop.signal.aborted) return
      if (next.kind === 'gone') {
        this.#forget(id)
        this.#relist.abort()
        return this.#tell({ kind: 'sessions', sessions: this.#names(), complete: [], open: [] })
      }
      if (next.kind === 'messages')
        await this.#tell({ kind: 'messages', session: id, items: next.items, after: cursor.after })
      if (cursor.gap || next.kind === 'idle') await this.#compare(cursor)
    }
  }

  /** Retracts questions that were settled elsewhere and, after a gap in the log, reports those that are open. */
  async #compare(cursor: Cursor): Promise<void> {
    if (this.#signal.aborted || (!cursor.gap && !this.#parts.desk(this.#caller.tenant))) return
    const open = (await openQuestions(this.#parts, cursor.session)) ?? []
    if (!cursor.gap) return
    cursor.gap = false
    const items = open.map((item) => ({ session_task_id: cursor.session.id, ...item }))
    await this.#tell({ kind: 'sessions', sessions: this.#names(), complete: [cursor.session.id], open: items })
  }

  #forget(id: string): void {
    this.#reading.get(id)?.stop.abort()
    this.#reading.delete(id)
    this.#position.delete(id)
  }

  /** Watches for new sessions, and for those that no longer concern the caller. */
  async #watch(): Promise<void> {
    while (!this.#signal.aborted) {
      this.#relist = new AbortController()
      const signal = AbortSignal.any([this.#signal, this.#relist.signal])
      const found = await this.#list(READ_MS, signal)
      if (this.#signal.aborted) return
      const over = this.#names().filter((session) => !found.includes(session))
      for (const session of over) this.#forget(session)
      const fresh = found.filter((session) => !this.#reading.has(session))
      const open = (await Promise.all(fresh.map((session) => this.#open(session, false)))).flat()
      const came = fresh.flatMap((session) => this.#reading.get(session) ?? [])
      this.#unread.push(...fresh.filter((session) => !this.#reading.has(session)))
      if (came.length + over.length === 0 || this.#signal.aborted) continue
      for (const cursor of came) this.#start(this.#pump(cursor))
      const complete = came.map(({ session }) => session.id)
      await this.#tell({ kind: 'sessions', sessions: this.#names(), complete, open })
    }
  }
}
