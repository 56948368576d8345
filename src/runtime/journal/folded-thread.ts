import { apply } from '../../core/fold/fold.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import { pause } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { SnapshotPace } from './snapshot-pace.ts'
import type { SnapshotStart } from './start.ts'
import { StoreClock } from './store-clock.ts'

/** An entry as stored. */
export interface StoredBody {
  readonly at: number
  readonly body: string
}

/** A longer thread does not keep its entries while it is driven, unless they were asked for. */
const SHORT = 256

/** What a journal has in memory: its entries as far as they were folded, the store's time, and who watches. It reads and writes nothing. */
export class FoldedThread {
  readonly store: Store
  /** All folded entries, as stored: a state text is made from them. Empty unless the journal is whole. */
  bodies: StoredBody[] = []
  /** Whether `bodies` has all entries. */
  isWhole = true
  /** How many entries were read to load it. Those that were read later do not count. */
  loaded = 0
  /** Whether all entries were folded. Otherwise the state is that of a snapshot, and what was folded since. */
  protected isFolded = true
  /** Whether it stays whole when it gets long. What they say is in the conversation a second time, and the store has them. */
  protected keepsAll = true
  protected folded: ThreadState
  /** When to take a snapshot. */
  protected pace: SnapshotPace | undefined = new SnapshotPace()
  protected clock: StoreClock
  /** What each planned entry passes through before it is written. */
  protected stamp: ((entry: Entry) => Entry) | undefined
  /** When the last entry was stored. */
  #lastAt: number | undefined
  #observers: Set<(entry: Entry, at: number) => void> | undefined

  constructor(store: Store, threadId: string) {
    this.store = store
    this.folded = emptyState(store.tenantId, threadId)
    this.clock = new StoreClock(threadId, store.clock)
  }

  /** The folded entries. */
  get state(): ThreadState {
    return this.folded
  }

  /** Takes no snapshots: nobody else reads this store. */
  alone(): this {
    this.pace = undefined
    return this
  }

  /** Passes each planned entry through `stamp` before it is written. Returns a function that stops it. */
  stampWith(stamp: (entry: Entry) => Entry): () => void {
    this.stamp = stamp
    return () => {
      if (this.stamp === stamp) this.stamp = undefined
    }
  }

  /** Calls `observer` after each entry that is folded from now on, whichever process wrote it. Returns a function that stops it. */
  observe(observer: (entry: Entry, at: number) => void): () => void {
    this.#observers ??= new Set()
    this.#observers.add(observer)
    return () => this.#observers?.delete(observer)
  }

  /** The store's time, estimated: its last known time plus the time that has passed here since. */
  now(): number {
    return this.clock.now()
  }

  /** Waits until a store time, or until the signal is aborted. */
  until(time: number, signal: AbortSignal): Promise<void> {
    return pause(time - this.now(), { signal, clock: this.store.clock })
  }

  /** Begins with a snapshot. */
  protected beginWith({ state, version, chunks }: SnapshotStart): void {
    this.folded = state
    this.pace?.at(version, chunks)
    this.isWhole = false
    this.isFolded = false
  }

  /** Begins with nothing, also if something was folded before. */
  protected beginEmpty(): void {
    this.folded = emptyState(this.store.tenantId, this.folded.threadId)
    this.bodies = []
    this.#lastAt = undefined
    this.isWhole = true
    this.isFolded = true
    this.pace &&= new SnapshotPace()
  }

  /** Folds an entry as stored. `isOwn`: it was written here. */
  protected foldBody({ at, body }: StoredBody, isOwn = false): void {
    const { threadId, version } = this.folded
    this.foldEntry(parseBody(body, { threadId, seq: version + 1 }), { at, body }, isOwn)
  }

  protected foldEntry(entry: Entry, stored: StoredBody, isOwn = false): void {
    apply(this.folded, entry, this.clock.timeOf(stored.at, this.#lastAt))
    this.#lastAt = stored.at
    if (this.isWhole) this.#keep(stored)
    this.pace?.folded(stored.body, this.folded, isOwn)
    if (this.#observers) for (const observer of this.#observers) observer(entry, stored.at)
  }

  #keep(stored: StoredBody): void {
    this.bodies.push(stored)
    if (this.keepsAll || this.bodies.length <= SHORT) return
    this.bodies = []
    this.isWhole = false
  }
}
