import type { RequestListFilter } from '../../client/v1/inbox-client.ts'
import type { LiveEvent } from '../../protocol/api/records.ts'
import type { ApiRequestPage, RequestItem } from '../../protocol/api/requests.ts'
import type { InboxApi } from '../inbox-api.ts'
import { isAbsent } from './errors.ts'
import { GATHER_MS } from './resource.ts'
import { mayBring, putRows, type RequestRow, rowOf } from './rows.ts'
import { Watchers } from './watchers.ts'

/** A list as it is shown. */
export interface RequestListView {
  state: 'loading' | 'ready' | 'failed'
  /** Newest first. Rows never change places by themselves. */
  rows: readonly RequestRow[]
  /** How many new requests wait to be shown. */
  fresh: number
  /** There are older ones. */
  more: boolean
  loadingMore: boolean
  /** Why the last load failed. What was loaded before stays. */
  error?: unknown
}

/** What a list loads from. */
export type RequestSource = Pick<InboxApi, 'requests' | 'request'>

/** The view of a list that has loaded nothing yet. */
export const EMPTY_LIST: RequestListView = { state: 'loading', rows: [], fresh: 0, more: false, loadingMore: false }

/** So many changed rows are loaded one by one. In a burst the others are marked by what the list no longer has. */
const ROWS_AT_ONCE = 20
const LARGEST_PAGE = 200

/**
 * A list of requests that never moves what is being read: new requests are counted and shown when asked for; decided ones stay, marked.
 */
export class RequestList {
  readonly #source: RequestSource
  readonly #filter: RequestListFilter
  readonly #limit: number
  readonly #watchers = new Watchers()
  #view: RequestListView = EMPTY_LIST
  #fresh: readonly RequestRow[] = []
  /** There are more new requests than one page: showing them needs a new start. */
  #gap = false
  #cursor: string | undefined
  #begun = false
  #changed = new Set<string>()
  #recount = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Counts the loads from the top, so that an answer from before is dropped. */
  #turn = 0

  constructor(source: RequestSource, filter: RequestListFilter, limit: number) {
    this.#source = source
    this.#filter = filter
    this.#limit = limit
  }

  get snapshot(): RequestListView {
    return this.#view
  }

  get watched(): boolean {
    return this.#watchers.any
  }

  /** Calls the listener at each change until it is unsubscribed. The first watcher starts the loading. */
  readonly watch = (listener: () => void): (() => void) => {
    const unwatch = this.#watchers.add(listener)
    if (!this.#begun) void this.reload()
    return unwatch
  }

  /** Loads the list from its top. What is shown stays until the answer is there. */
  readonly reload = async (): Promise<void> => {
    this.#begun = true
    const turn = ++this.#turn
    try {
      const page = await this.#page(this.#limit)
      if (turn === this.#turn) this.#start(page)
    } catch (error) {
      if (turn !== this.#turn) return
      this.#begun = this.#view.rows.length > 0
      this.#fail(error)
    }
  }

  /** Adds the next page of older requests. */
  readonly loadMore = async (): Promise<void> => {
    if (this.#cursor === undefined || this.#view.loadingMore) return
    const turn = this.#turn
    this.#show({ loadingMore: true })
    try {
      const page = await this.#page(this.#limit, this.#cursor)
      if (turn !== this.#turn) return
      this.#cursor = page.next
      const known = new Set(this.#view.rows.map((row) => row.request.id))
      const older = this.#rows(page.requests).filter((row) => !known.has(row.request.id))
      this.#show({
        state: 'ready',
        rows: [...this.#view.rows, ...older],
        more: page.next !== undefined,
        loadingMore: false,
      })
    } catch (error) {
      if (turn === this.#turn) this.#fail(error)
    }
  }

  /** Shows the new requests above the others, and takes away the rows that are settled. */
  readonly showFresh = (): void => {
    if (this.#gap) {
      void this.reload()
      return
    }
    const rows = [...this.#fresh, ...this.#view.rows].filter((row) => row.state === 'waiting')
    this.#fresh = []
    this.#show({ rows, fresh: 0 })
  }

  /** A newer state of a request is known, such as the answer to a decision. */
  put(request: RequestItem): void {
    this.#put([rowOf(request, this.#filter)])
  }

  /** An event arrived: what is shown is loaded again, soon. What nobody watches is loaded when it is watched again. */
  tell(event: LiveEvent): void {
    if (!this.#begun || event.type === 'grant') return
    if (!this.watched) {
      this.#begun = false
      return
    }
    if (event.type === 'reset') {
      for (const { request } of this.#view.rows) this.#changed.add(request.id)
      this.#recount = true
    } else if (has(this.#view.rows, event.id)) this.#changed.add(event.id)
    else if (has(this.#fresh, event.id) || mayBring(event, this.#filter)) this.#recount = true
    else return
    this.#timer ??= setTimeout(() => void this.#catchUp(), GATHER_MS)
  }

  /** The connection is back: what failed to load is tried again, and what is shown stays. */
  recover(): void {
    if (!this.watched || this.#view.state !== 'failed') return
    if (this.#view.rows.length === 0) void this.reload()
    else this.tell({ type: 'reset' })
  }

  /** Ends what is under way. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#begun = false
    this.#turn++
  }

  async #catchUp(): Promise<void> {
    this.#timer = undefined
    const changed = [...this.#changed]
    const recount = this.#recount
    this.#changed = new Set()
    this.#recount = false
    const turn = this.#turn
    try {
      const known = recount ? await this.#countFresh(turn) : []
      if (turn !== this.#turn) return
      const other = changed.filter((id) => !known.includes(id))
      const some = other.length > ROWS_AT_ONCE ? await this.#missing(other) : other
      const newer = await Promise.all(some.slice(0, ROWS_AT_ONCE).map((id) => this.#again(id)))
      if (turn !== this.#turn) return
      this.#put(newer.flat())
      this.#put(this.#view.rows.filter((row) => some.indexOf(row.request.id) >= ROWS_AT_ONCE).map(settled))
    } catch (error) {
      if (turn === this.#turn) this.#fail(error)
    }
  }

  /** Loads the newest page and counts what is not shown yet. Returns the ids that are on it. */
  async #countFresh(turn: number): Promise<string[]> {
    const page = await this.#page(this.#limit)
    if (turn !== this.#turn) return []
    if (this.#view.rows.length === 0) {
      // A load that began earlier would bring an older page.
      this.#turn++
      this.#start(page)
      return []
    }
    const rows = this.#rows(page.requests)
    this.#fresh = rows.filter((row) => !has(this.#view.rows, row.request.id))
    this.#gap = page.next !== undefined && this.#fresh.length === rows.length
    this.#put(rows)
    this.#show({ state: 'ready', fresh: this.#fresh.length })
    return page.requests.map(({ id }) => id)
  }

  async #again(id: string): Promise<RequestRow[]> {
    try {
      return this.#rows([(await this.#source.request(id)).request])
    } catch (error) {
      if (!isAbsent(error)) throw error
      return this.#view.rows.filter((row) => row.request.id === id).map((row) => ({ ...row, state: 'gone' }))
    }
  }

  /** Those of these requests that the list no longer has, read in as few pages as it is long. */
  async #missing(ids: readonly string[]): Promise<string[]> {
    const left = new Set(ids)
    let cursor: string | undefined
    for (let seen = 0; seen < this.#view.rows.length + LARGEST_PAGE && left.size > 0; seen += LARGEST_PAGE) {
      const page = await this.#page(LARGEST_PAGE, cursor)
      this.#put(this.#rows(page.requests))
      for (const { id } of page.requests) left.delete(id)
      cursor = page.next
      if (cursor === undefined) break
    }
    return [...left]
  }

  #page(limit: number, cursor?: string): Promise<ApiRequestPage> {
    return this.#source.requests({ ...this.#filter, limit, ...(cursor === undefined ? {} : { cursor }) })
  }

  #start(page: ApiRequestPage): void {
    this.#fresh = []
    this.#gap = false
    this.#cursor = page.next
    this.#show({ ...EMPTY_LIST, state: 'ready', rows: this.#rows(page.requests), more: page.next !== undefined })
  }

  #rows(requests: readonly RequestItem[]): RequestRow[] {
    return requests.map((request) => rowOf(request, this.#filter))
  }

  #put(newer: readonly RequestRow[]): void {
    this.#fresh = putRows(this.#fresh, newer)
    const rows = putRows(this.#view.rows, newer)
    if (rows !== this.#view.rows) this.#show({ rows })
  }

  #fail(error: unknown): void {
    this.#show({ state: 'failed', error, loadingMore: false })
  }

  #show(change: Partial<RequestListView>): void {
    const { error, ...view } = { ...this.#view, ...change }
    this.#view = view.state === 'failed' ? { ...view, error } : view
    this.#watchers.tell()
  }
}

function has(rows: readonly RequestRow[], id: string): boolean {
  return rows.some((row) => row.request.id === id)
}

function settled(row: RequestRow): RequestRow {
  return { ...row, state: 'settled' }
}
