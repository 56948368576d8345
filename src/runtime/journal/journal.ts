import { apply } from '../../core/fold/fold.ts'
import { type ProjectedGrant, projectGrants } from '../../core/grants.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import { projectRequests } from '../../core/views/project.ts'
import { isExternal, openedRun, wakeAt, wakeOf } from '../../core/wake.ts'
import { commit } from '../../desk/record/commit.ts'
import { pause, ticks } from '../../ports/clock.ts'
import type { RecordChange } from '../../ports/records.ts'
import type { Append, AppendOutcome, Conflict, LeaseChange, Store, ThreadSlice } from '../../ports/store.ts'
import type { WakeChange } from '../../ports/wake.ts'
import { warn } from '../../ports/warnings.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { StoreBehind } from '../../protocol/errors/errors.ts'

/** An append, planned on a state. */
export interface Plan {
  entries: Entry[]
  lease?: LeaseChange
  /** Spent grants. Created and revoked ones are projected from the entries. */
  grants?: readonly ProjectedGrant[]
  /** Default: what the entries say. */
  wake?: WakeChange | undefined
  /** Refused before this time of the store. */
  notBefore?: number | undefined
  /** Records to write in the same transaction. */
  records?: readonly RecordChange[] | undefined
}

/** Options of `Journal.write`. */
export interface WriteOptions {
  /** Stops it between two attempts. */
  signal?: AbortSignal | undefined
  /** Called with the conflict of a refused attempt, after new entries were folded. May throw, which ends the write. */
  onRefused?(conflict: Conflict): void
  /** Called when the append was accepted, before anything else is planned on this journal. */
  onAccepted?(outcome: Extract<AppendOutcome, { ok: true }>): void
}

/**
 * One reader's view of one thread: the store's entries, folded as far as they were read.
 *
 * J1  `state` is always the fold of a prefix of the stored journal. A refused append is never folded.
 * J2  Writes of one journal object are serialised, and each is planned on the newest state that this object has seen.
 * J3  If the store lacks entries that were folded here (it was restored, or a replica without the tail took over), the operation and all later
 *     ones throw `StoreBehind`. Reads and appends are checked against the folded head, so a store that has grown again to any length is
 *     detected before anything is stored there.
 */
export class Journal {
  readonly state: ThreadState
  readonly store: Store
  /** The folded entries as stored. A state text is made from them. */
  readonly bodies: { at: number; body: string }[] = []
  #queue: Promise<unknown> = Promise.resolve()
  #behind: StoreBehind | undefined
  /** The head hash of the folded entries. Unknown after `Journal.of`. */
  #head: string | undefined
  /** The store's time at its last reply. Unknown after `Journal.of`. */
  #storeTime: number | undefined
  #warned = false
  #seenAt = 0
  /** The wake time in the store as far as it was read or written here. Unknown after `Journal.of`. */
  #wakeAt: number | null | undefined
  readonly #observers = new Set<(entry: Entry, at: number) => void>()
  #stamp: ((entry: Entry) => Entry) | undefined

  constructor(store: Store, threadId: string) {
    this.store = store
    this.state = emptyState(store.tenantId, threadId)
  }

  /** Opens a journal and reads all stored entries. */
  static async open(store: Store, threadId: string): Promise<Journal> {
    const journal = new Journal(store, threadId)
    await journal.catchUp()
    return journal
  }

  /** Makes a journal of entries that were just put into the store, without reading them back. */
  static of(store: Store, threadId: string, entries: readonly { at: number; body: string; entry: Entry }[]): Journal {
    const journal = new Journal(store, threadId)
    for (const { at, body, entry } of entries) journal.#foldEntry(entry, { at, body })
    return journal
  }

  /** Calls `observer` after each entry that is folded from now on, whichever process wrote it. Returns a function that stops it. */
  observe(observer: (entry: Entry, at: number) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /** Passes each planned entry through `stamp` before it is written. Returns a function that stops it. */
  stampWith(stamp: (entry: Entry) => Entry): () => void {
    this.#stamp = stamp
    return () => {
      if (this.#stamp === stamp) this.#stamp = undefined
    }
  }

  /** The store's time, estimated: its last known time plus the time that has passed here since. */
  now(): number {
    return (this.#storeTime ?? 0) + Math.max(0, ticks(this.store.clock) - this.#seenAt)
  }

  /** Waits until a store time, or until the signal is aborted. */
  until(time: number, signal: AbortSignal): Promise<void> {
    return pause(time - this.now(), { signal, clock: this.store.clock })
  }

  /** Reads and folds the entries that others have added. */
  catchUp(): Promise<void> {
    return this.#exclusive(() => this.#catchUp())
  }

  /** Returns all stored entries. Reads only those that were not folded before. */
  async readAll(): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head' | 'now'>> {
    await this.catchUp()
    const entries = this.bodies.map(({ at, body }, index) => ({ seq: index + 1, at, body }))
    return { entries, version: entries.length, head: this.#head ?? '', now: this.now() }
  }

  /**
   * Appends without planning again, and folds what was accepted. On a version conflict it folds the new entries and retries, unless the append names
   * a version itself.
   */
  append(append: Append): Promise<AppendOutcome> {
    const round = async (): Promise<{ done: AppendOutcome } | undefined> => {
      const outcome = await this.#append(append)
      if (outcome.ok || outcome.conflict.kind !== 'version') return { done: outcome }
      await this.#learn(outcome.conflict)
      return append.version === undefined ? undefined : { done: outcome }
    }
    return commit(this.#name, () => this.#exclusive(round))
  }

  /**
   * Plans on the current state and appends under its version. If that is refused, reads, folds and plans again. Resolves to the written entries,
   * or to `undefined` if `plan` returns that.
   */
  write(
    plan: (state: ThreadState) => Plan | undefined,
    { signal, onRefused, onAccepted }: WriteOptions = {},
  ): Promise<Entry[] | undefined> {
    const round = async (paused: boolean): Promise<{ done: Entry[] | undefined } | undefined> => {
      if (paused) await this.#catchUp()
      const planned = plan(this.state)
      if (!planned) return { done: undefined }
      const entries = this.#stamp ? planned.entries.map(this.#stamp) : planned.entries
      const append = toAppend(this.state, { ...planned, entries })
      const outcome = await this.#send(append)
      if (!outcome.ok) {
        await this.#learn(outcome.conflict)
        onRefused?.(outcome.conflict)
        return undefined
      }
      // The version and head guarded the append, so these are exactly the next entries. Plans are made of plain copies.
      const { at } = outcome
      for (const [i, entry] of entries.entries()) this.#foldEntry(entry, { at, body: append.entries[i] ?? '' })
      this.#head = outcome.head
      onAccepted?.(outcome)
      return { done: entries }
    }
    return commit(this.#name, ({ paused }) => this.#exclusive(() => round(paused)), signal)
  }

  /** The thread's wake time, as far as it was read or written here. `null`: none. */
  get wakeAt(): number | null | undefined {
    return this.#wakeAt
  }

  /** Sets the thread's wake mark to what the state says. Writes nothing if it is that already. */
  async mark(): Promise<void> {
    await this.write((state) => {
      const [now, known] = [this.now(), this.#wakeAt]
      const at = wakeAt(state, now)
      const isDue = at !== null && at <= now && known !== null && known !== undefined && known <= now
      return known === undefined || known === at || isDue ? undefined : { entries: [], wake: { op: 'set', at } }
    })
  }

  get #name(): string {
    return `Thread ${this.state.threadId}`
  }

  /** Folds the entries that caused a conflict. Throws `StoreBehind` if the store does not have them. */
  async #learn(conflict: Conflict): Promise<void> {
    if (conflict.kind === 'version') this.#requireUpTo(this.state.version, conflict.version)
    await this.#catchUp()
    if (conflict.kind === 'version') this.#requireUpTo(conflict.version, this.state.version)
  }

  #requireUpTo(expected: number, found: number): void {
    if (found < expected) throw this.#fallBehind(expected, found)
  }

  #fallBehind(expected: number, found: number): StoreBehind {
    this.#behind = new StoreBehind({ threadId: this.state.threadId, expected, found })
    return this.#behind
  }

  async #append(append: Append): Promise<AppendOutcome> {
    const { version } = this.state
    if ((append.version ?? version) > version) await this.#catchUp()
    const outcome = await this.#send({ version: this.state.version, ...append })
    // Fold the stored strings, not the caller's objects, so that memory equals what a reload would give.
    if (!outcome.ok) return outcome
    for (const body of append.entries) this.#fold(body, outcome.at)
    this.#head = outcome.head
    return outcome
  }

  /** Appends on top of the folded head. */
  async #send(append: Append): Promise<AppendOutcome> {
    const head = this.#head
    const outcome = await this.store.append(head === undefined ? append : { ...append, head })
    this.#clock(outcome.ok ? outcome.at : outcome.now)
    if (outcome.ok && append.wake) this.#marked(append.wake, outcome.at)
    return outcome
  }

  #marked(wake: WakeChange, at: number): void {
    const before = this.#wakeAt ?? Number.POSITIVE_INFINITY
    this.#wakeAt = wake.op === 'set' ? wake.at : Math.min(before, at + wake.inMs)
  }

  async #catchUp(): Promise<void> {
    const { threadId, version } = this.state
    const slice = await this.store.read(threadId, { after: version })
    this.#requireUpTo(version, slice.version)
    if (this.#head !== undefined && slice.follows !== this.#head) throw this.#fallBehind(version, slice.version)
    this.#clock(slice.now)
    this.#wakeAt = slice.wake.at
    for (const { body, at } of slice.entries) this.#fold(body, at)
    this.#head = slice.head
  }

  #fold(body: string, at: number): void {
    const { threadId, version } = this.state
    this.#foldEntry(parseBody(body, { threadId, seq: version + 1 }), { at, body })
  }

  #foldEntry(entry: Entry, stored: { at: number; body: string }): void {
    const now = this.#storeTime ?? Number.POSITIVE_INFINITY
    const before = this.bodies.at(-1)?.at ?? Number.NEGATIVE_INFINITY
    const aheadMs = Math.max(stored.at - now, before - stored.at)
    if (aheadMs > 0) this.#warnOfClock(aheadMs)
    // An entry dated in the future counts from now, so that nothing waits for that date.
    apply(this.state, entry, Math.min(stored.at, now))
    this.bodies.push(stored)
    for (const observer of this.#observers) observer(entry, stored.at)
  }

  #clock(storeTime: number): void {
    this.#storeTime = storeTime
    this.#seenAt = ticks(this.store.clock)
  }

  #warnOfClock(aheadMs: number): void {
    if (this.#warned) return
    this.#warned = true
    warn(
      'clock_ahead',
      `Entries of thread ${this.state.threadId} were dated by a clock that was ${Math.ceil(aheadMs / 1000)} s ahead. Their times are wrong; delays count from when the entries are read.`,
    )
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const begin = () => {
      if (this.#behind) throw this.#behind
      return work()
    }
    const done = this.#queue.then(begin, begin)
    this.#queue = done.catch(() => undefined)
    return done
  }
}

function toAppend(state: ThreadState, { entries, lease, grants: spent = [], ...plan }: Plan): Append {
  const { threadId, version } = state
  const append: Append = { threadId, version, entries: entries.map((entry) => JSON.stringify(entry)) }
  const requests = projectRequests(entries, threadId)
  const grants = [...projectGrants(entries), ...spent]
  if (requests.length > 0) append.requests = requests
  if (lease) append.lease = lease
  if (grants.length > 0) append.grants = grants
  const wake = plan.wake ?? markOf(state, entries)
  const run = openedRun(entries)
  if (wake) append.wake = wake
  if (run) append.run = run
  if (plan.notBefore !== undefined) append.notBefore = plan.notBefore
  if (plan.records) append.records = plan.records
  return append
}

function markOf(state: ThreadState, entries: readonly Entry[]): WakeChange | undefined {
  if (isExternal(state, entries)) return undefined
  if (entries.some(({ type }) => type === 'run.settled')) return { op: 'set', at: null }
  return wakeOf(entries, (request) => !state.asked.has(request))
}
