import { NO_CHUNKS } from '../../core/fold/chunks.ts'
import { FOLD } from '../../core/fold/snapshot.ts'
import type { ThreadState } from '../../core/state.ts'
import { commit } from '../../desk/record/commit.ts'
import type { ChunksWanted } from '../../ports/snapshot.ts'
import type { Append, AppendOutcome, Conflict, Store, ThreadSlice } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { JournalInvalid, StoreBehind } from '../../protocol/errors/errors.ts'
import { FoldedThread } from './folded-thread.ts'
import { InTurn } from './in-turn.ts'
import { conversationOf, foldAll, headAt, type JournalMark, type SnapshotStart, startOf } from './start.ts'
import { markedBy, type Plan, toAppend, type WriteOptions } from './to-append.ts'

/**
 * One reader's view of one thread: the store's entries, folded as far as they were read.
 *
 * J1  `state` is always the fold of a prefix of the stored journal. A refused append is never folded.
 * J2  Writes of one journal object are serialised, and each is planned on the newest state that this object has seen.
 * J3  If the store lacks entries that were folded here (it was restored, or a replica without the tail took over), the operation and all later
 *     ones throw `StoreBehind`. Reads and appends are checked against the folded head, so a store that has grown again to any length is
 *     detected before anything is stored there.
 * J4  A journal may begin with a snapshot: its state is that of the snapshot and of the entries after it, and its conversation is not loaded
 *     (`openLean`). To drive it, the conversation is read from chunks, or everything is read and folded if that is not enough (`loadToDrive`). What all
 *     entries say counts, whatever the snapshot said: one that the entries after it do not follow from is ignored.
 * J5  A journal that takes the place of another (`inPlaceOf`) loads exactly what that one had folded. What was stored since is folded by the next read,
 *     which also finds a store that lacks that history (J3).
 */
export class Journal extends FoldedThread {
  /** What it begins with, if that is not the first entry. */
  #start: SnapshotStart | undefined
  /** Where the journal was whose place it takes. */
  #place: JournalMark | undefined
  readonly #turns = new InTurn()
  #head: string | undefined
  /** The wake time in the store as far as it was read or written here. Unknown after `Journal.of`. */
  #wakeAt: number | null | undefined

  /** The store's name of their history. Unknown after `Journal.of`. */
  get head(): string | undefined {
    return this.#head
  }

  /** Opens a journal and reads all stored entries. */
  static async open(store: Store, threadId: string): Promise<Journal> {
    const journal = new Journal(store, threadId)
    await journal.catchUp()
    return journal
  }

  /** Opens a journal from its snapshot, if there is one. With a few chunks, it can mostly be driven without another read. */
  static async openLean(store: Store, threadId: string, { chunks }: { chunks?: 'few' } = {}): Promise<Journal> {
    const journal = new Journal(store, threadId)
    await journal.#begin(chunks)
    return journal
  }

  /** Opens a journal to drive its thread: with its conversation, from a snapshot and its chunks if they are enough. */
  static async openToDrive(store: Store, threadId: string): Promise<Journal> {
    const journal = new Journal(store, threadId)
    await journal.loadToDrive()
    return journal
  }

  /** Makes a journal of entries that were just put into the store, without reading them back. */
  static of(store: Store, threadId: string, entries: readonly { at: number; body: string; entry: Entry }[]): Journal {
    const journal = new Journal(store, threadId).alone()
    for (const { at, body, entry } of entries) journal.foldEntry(entry, { at, body })
    return journal
  }

  /** Loads (`loadToDrive`) what another journal of the thread had folded. */
  inPlaceOf(mark: JournalMark): this {
    this.#place = mark
    this.clock = mark.clock
    return this
  }

  /** How far it has folded, for another to take its place. `undefined`: there is nothing to go on with, or the store is behind. */
  get mark(): JournalMark | undefined {
    const { folded, clock } = this
    const [{ version }, head] = [folded, this.#head]
    return version === 0 || head === undefined || this.#turns.isEnded ? undefined : { version, head, clock }
  }

  /** Reads and folds the entries that others have added. */
  catchUp(): Promise<void> {
    return this.#turns.run(() => this.#catchUp())
  }

  /** Reads the entries before the snapshot that the journal begins with, if it does. The version stays. */
  loadAll(): Promise<void> {
    return this.#turns.run(() => this.#loadAll())
  }

  /** Reads what driving needs and is not loaded: the conversation, or everything if the snapshot and its chunks are not enough. The version stays. */
  loadToDrive(): Promise<void> {
    return this.#turns.run(() => this.#loadToDrive())
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
    return commit(`Thread ${this.folded.threadId}`, () => this.#turns.run(round))
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
      const planned = plan(this.folded)
      if (!planned) return { done: undefined }
      const entries = this.stamp ? planned.entries.map(this.stamp) : planned.entries
      const append = toAppend(this.folded, { ...planned, entries })
      const snapshot = await this.pace?.due(this.folded, this.store)
      const outcome = await this.#send(snapshot ? { ...append, snapshot: snapshot.write } : append)
      if (!outcome.ok) {
        await this.#learn(outcome.conflict)
        onRefused?.(outcome.conflict)
        return undefined
      }
      // The version and head guarded the append, so these are exactly the next entries. Plans are made of plain copies.
      const { at } = outcome
      if (snapshot) this.pace?.at(this.folded.version, snapshot.chunks)
      for (const [i, entry] of entries.entries()) this.foldEntry(entry, { at, body: append.entries[i] ?? '' }, true)
      this.#head = outcome.head
      onAccepted?.(outcome)
      return { done: entries }
    }
    return commit(`Thread ${this.folded.threadId}`, ({ paused }) => this.#turns.run(() => round(paused)), signal)
  }

  /** The thread's wake time, as far as it was read or written here. `null`: none. */
  get wakeAt(): number | null | undefined {
    return this.#wakeAt
  }

  /** Folds the entries that caused a conflict. Throws `StoreBehind` if the store does not have them. */
  async #learn(conflict: Conflict): Promise<void> {
    if (conflict.kind === 'version') this.#requireUpTo(this.folded.version, conflict.version)
    await this.#catchUp()
    if (conflict.kind === 'version') this.#requireUpTo(conflict.version, this.folded.version)
  }

  #requireUpTo(expected: number, found: number): void {
    if (found < expected) throw this.#fallBehind(expected, found)
  }

  #fallBehind(expected: number, found: number): StoreBehind {
    return this.#turns.end(new StoreBehind({ threadId: this.folded.threadId, expected, found }))
  }

  async #append(append: Append): Promise<AppendOutcome> {
    const { version } = this.folded
    if ((append.version ?? version) > version) await this.#catchUp()
    const isOfState = append.version === undefined || append.version === this.folded.version
    const snapshot = isOfState ? await this.pace?.due(this.folded, this.store) : undefined
    const taken = snapshot ? { snapshot: snapshot.write } : {}
    const outcome = await this.#send({ version: this.folded.version, ...append, ...taken })
    // Fold the stored strings, not the caller's objects, so that memory equals what a reload would give.
    if (!outcome.ok) return outcome
    if (snapshot) this.pace?.at(this.folded.version, snapshot.chunks)
    for (const body of append.entries) this.foldBody({ at: outcome.at, body }, true)
    this.#head = outcome.head
    return outcome
  }

  /** Appends on top of the folded head. */
  async #send(append: Append): Promise<AppendOutcome> {
    const head = this.#head
    const outcome = await this.store.append(head === undefined ? append : { ...append, head })
    this.clock.saw(outcome.ok ? outcome.at : outcome.now)
    if (outcome.ok && append.wake) this.#wakeAt = markedBy(append.wake, outcome.at, this.#wakeAt)
    return outcome
  }

  async #catchUp(): Promise<void> {
    const { threadId, version } = this.folded
    const slice = await this.store.read(threadId, { after: version })
    this.#requireUpTo(version, slice.version)
    if (this.#head !== undefined && slice.follows !== this.#head) throw this.#fallBehind(version, slice.version)
    this.#take(slice)
  }

  /** Reads a thread of which nothing was read. */
  async #begin(chunks: ChunksWanted | undefined): Promise<void> {
    const slice = await this.store.read(this.folded.threadId, { snapshot: FOLD, ...(chunks && { chunks }) })
    const start = startOf(this.folded, slice)
    // Others may have written one after the place that this journal takes.
    const isTooNew = start !== undefined && start.version > (this.#place?.version ?? start.version)
    if (isTooNew || (slice.snapshot && !start)) return this.#beginWhole()
    if (start) {
      this.#start = start
      this.beginWith(start)
    }
    try {
      this.#takeFirst(slice)
    } catch (error) {
      if (!start || !(error instanceof JournalInvalid)) throw error
      return this.#beginAnew()
    }
    // No later snapshot than this one has been written.
    this.pace?.knows(start?.chunks ?? NO_CHUNKS)
  }

  async #beginWhole(): Promise<void> {
    this.#takeFirst(await this.store.read(this.folded.threadId))
  }

  /** Reads everything: the entries after the snapshot do not follow from it. */
  async #beginAnew(): Promise<void> {
    this.#forget()
    await this.#beginWhole()
    // The next snapshot takes its place, with chunks of its own.
    this.pace?.knows(NO_CHUNKS)
  }

  /** Begins with nothing. */
  #forget(): void {
    this.#start = undefined
    this.beginEmpty()
  }

  /** Takes what it begins with: as much as the journal had whose place it takes. */
  #takeFirst(slice: ThreadSlice): void {
    const place = this.#place
    this.loaded += slice.entries.length
    if (!place) return this.#take(slice)
    this.#requireUpTo(place.version, slice.version)
    this.#take({ ...slice, entries: slice.entries.filter(({ seq }) => seq <= place.version), head: place.head })
  }

  async #loadToDrive(): Promise<void> {
    if (this.folded.version === 0 && this.#head === undefined) {
      // Others cannot read the entries of a journal that is alone.
      this.keepsAll = this.pace === undefined
      await this.#begin(true).catch((error: unknown) => {
        // Half of the entries may be folded. The next load must not take them for all.
        this.#forget()
        throw error
      })
    }
    if (this.isFolded || this.#mayDrive) return
    const messages = this.#start && (await conversationOf(this.#start, this.store))
    if (messages) return this.folded.messages.fill(messages)
    await this.#loadAll()
    // They are written anew with the next snapshot.
    if (this.#start?.mayDrive) this.pace?.knows(NO_CHUNKS)
  }

  /** Whether the state may be driven although it begins with a snapshot. */
  get #mayDrive(): boolean {
    return this.#start?.mayDrive === true && this.folded.messages.isWhole
  }

  async #loadAll(): Promise<void> {
    this.keepsAll = true
    if (this.isWhole) return
    const { threadId, version } = this.folded
    const slice = await this.store.read(threadId)
    this.loaded += slice.entries.length
    this.#requireUpTo(version, slice.version)
    const head = this.#head && (await headAt(this.store, this.folded, slice))
    if (head !== this.#head) throw this.#fallBehind(version, slice.version)
    const known = slice.entries.slice(0, version)
    // What drives has the state in its hands.
    if (!this.isFolded && !this.#mayDrive) this.folded = foldAll(this.folded, { entries: known, now: slice.now })
    this.bodies = known.map(({ at, body }) => ({ at, body }))
    this.isWhole = true
    this.isFolded = true
  }

  #take({ now, wake, entries, head }: ThreadSlice): void {
    this.clock.saw(now)
    this.#wakeAt = wake.at
    for (const entry of entries) this.foldBody(entry)
    this.#head = head
  }
}
