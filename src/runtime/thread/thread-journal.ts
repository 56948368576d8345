import { openRequests } from '../../core/queries.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import type { Store } from '../../ports/store.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { Journal } from '../journal/journal.ts'
import type { JournalMark } from '../journal/start.ts'
import type { ThreadViews } from './thread-views.ts'

/** A thread that nobody has called for so long rests. */
export const REST_MS = 1_000

/** One whose load read more entries than this stays awake for as many times as long: its next load may read as many. */
const EASY = 256

/** Called before a new request is announced. */
type Show = (journal: Journal, id: string) => void

/**
 * The journal of a live thread, as long as it is needed. A process may hold many threads that wait for people for days.
 *
 * R1  A thread that has a store and that no call has used for `REST_MS` rests: its journal is let go of, and what was folded with it. It keeps how far
 *     that was, and its open requests as text. If its load was long, since others have written newer snapshots or nobody one, it rests later.
 * R2  The next call loads exactly what had been folded (J5), so whatever was stored meanwhile is found, told and acted on as if it had not rested.
 * R3  It never rests while work is under way that may use its journal: that is done inside of `during`.
 */
export class ThreadJournal {
  readonly store: Store
  readonly #threadId: string
  readonly #views: ThreadViews
  readonly #mayRest: boolean
  #journal: Journal | undefined
  #opening: Promise<void> | undefined
  /** Set once it was opened: what is folded is told from then on. Stops telling it. */
  #unwatch: (() => void) | undefined
  /** How far it was when it began to rest. */
  #mark: JournalMark | undefined
  /** The requests that were open then, as JSON. */
  #open: string | undefined
  /** How much work is under way. */
  #busy = 0
  #timer: NodeJS.Timeout | undefined

  constructor(threadId: string, store: Store | undefined, views: ThreadViews) {
    this.#threadId = threadId
    this.#views = views
    this.#mayRest = store !== undefined
    this.store = store ?? memoryStore()
  }

  /** The journal. To be used inside of `during`, once it is open. */
  get now(): Journal {
    if (!this.#journal) throw new Error('the journal of a thread is used outside of a call')
    return this.#journal
  }

  /** The requests that are open, as far as the thread was read: of one that rests, when it began to. */
  get openRequests(): HitlRequest[] {
    if (!this.#unwatch) return this.#open === undefined ? [] : (JSON.parse(this.#open) as HitlRequest[])
    const { state } = this.now
    return openRequests(state).map((request) => toInterruption(state, request))
  }

  /** Does work that may use the journal. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      return await work()
    } finally {
      this.#busy -= 1
      this.#restLater()
    }
  }

  /** Loads what is not loaded. If that fails, the next call tries again. */
  async open(show: Show): Promise<void> {
    this.#opening ??= this.#load(show).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    await this.#opening
  }

  async #load(show: Show): Promise<void> {
    this.#journal ??= this.#create()
    const journal = this.#journal
    // Listeners know what it told before it rested: only what is stored since then is news.
    if (this.#mark) await journal.loadToDrive()
    else await this.#views.begin(journal)
    this.#unwatch = this.#views.watch(journal, (id) => show(journal, id))
  }

  #create(): Journal {
    const journal = new Journal(this.store, this.#threadId)
    if (this.#mark) return journal.inPlaceOf(this.#mark)
    return this.#mayRest ? journal : journal.alone()
  }

  /** The timer does not keep a thread that was let go of. */
  #restLater(): void {
    if (this.#busy > 0 || !this.#mayRest || !this.#unwatch) return
    const weak = new WeakRef(this)
    const restMs = REST_MS * Math.max(1, Math.ceil(this.now.loaded / EASY))
    this.#timer = setTimeout(() => weak.deref()?.rest(), restMs).unref()
  }

  /** Lets go of the journal, unless it is used or there is nothing to go on with. */
  private rest(): void {
    const mark = this.#journal?.mark
    if (this.#busy > 0 || !mark) return
    const open = this.openRequests
    this.#unwatch?.()
    this.#mark = mark
    this.#open = open.length > 0 ? JSON.stringify(open) : undefined
    this.#journal = undefined
    this.#opening = undefined
    this.#unwatch = undefined
    this.#timer = undefined
  }
}
