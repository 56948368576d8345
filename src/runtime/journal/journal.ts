import { apply } from '../../core/fold.ts'
import { type ProjectedGrant, projectGrants } from '../../core/grants.ts'
import { projectRequests } from '../../core/project.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import { commit } from '../../desk/commit.ts'
import { pause, ticks } from '../../ports/clock.ts'
import type { Append, AppendOutcome, Conflict, LeaseChange, Store, ThreadSlice } from '../../ports/store.ts'
import { warn } from '../../ports/warnings.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { StoreBehind } from '../../protocol/errors/errors.ts'

/** What a writer wants to add, given the state it would be added to. */
export interface Plan {
  entries: Entry[]
  lease?: LeaseChange
  /** What is spent; what entries create or revoke is told by themselves. */
  grants?: readonly ProjectedGrant[]
}

/** How a write goes about refusals. */
export interface WriteOptions {
  /** Ends it between two tries. */
  signal?: AbortSignal | undefined
  /** Is told why a try was refused, after what others have added was folded. May throw, which ends it. */
  onRefused?(conflict: Conflict): void
  /** Is told that it was accepted, before anything else is planned on this journal. */
  onAccepted?(outcome: Extract<AppendOutcome, { ok: true }>): void
}

/**
 * One reader's view of one thread: the store's entries, folded as far as they were read.
 *
 * J1  `state` is always the fold of a prefix of the stored journal: what was refused is never folded.
 * J2  Writes of one journal object go one after the other, each planned on the newest state that this object has seen.
 * J3  A store that does not have what was folded here, because it was restored or a replica without its tail took over, is `StoreBehind`: at
 *     once, and from then on whatever is asked. Every read and every append names the head that was folded, so that also a store that has
 *     grown again since, to whatever length, is found out before anything is stored there.
 */
export class Journal {
  readonly state: ThreadState
  readonly store: Store
  /** The bodies that were folded, as stored: what a state text is made of. */
  readonly bodies: { at: number; body: string }[] = []
  #queue: Promise<unknown> = Promise.resolve()
  #behind: StoreBehind | undefined
  /** The head of what was folded: not known of entries that were at hand. */
  #head: string | undefined
  /** The store's time when it was last heard of: never, for entries that were at hand. */
  #storeTime: number | undefined
  #warned = false
  #seenAt = 0
  readonly #observers = new Set<(entry: Entry, at: number) => void>()

  constructor(store: Store, threadId: string) {
    this.store = store
    this.state = emptyState(store.tenantId, threadId)
  }

  /** A journal with everything that is stored now. */
  static async open(store: Store, threadId: string): Promise<Journal> {
    const journal = new Journal(store, threadId)
    await journal.catchUp()
    return journal
  }

  /** A journal of entries that are at hand, so that they need not be read from the store they were put into. */
  static of(store: Store, threadId: string, entries: readonly { at: number; body: string; entry: Entry }[]): Journal {
    const journal = new Journal(store, threadId)
    for (const { at, body, entry } of entries) journal.#foldEntry(entry, { at, body })
    return journal
  }

  /** Tells each entry from now on, after it was folded, whoever wrote it. Returns how to stop. */
  observe(observer: (entry: Entry, at: number) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /** The store's time, as far as this process can tell between two reads: time passes here as it does there. */
  now(): number {
    return (this.#storeTime ?? 0) + Math.max(0, ticks(this.store.clock) - this.#seenAt)
  }

  /** Waits for a time of the store, or until the signal fires. */
  until(time: number, signal: AbortSignal): Promise<void> {
    return pause(time - this.now(), { signal, clock: this.store.clock })
  }

  /** Reads and folds what others have added. */
  catchUp(): Promise<void> {
    return this.#exclusive(() => this.#catchUp())
  }

  /** All entries that are stored now. Only those are read that were not folded before. */
  async readAll(): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head'>> {
    await this.catchUp()
    const entries = this.bodies.map(({ at, body }, index) => ({ seq: index + 1, at, body }))
    return { entries, version: entries.length, head: this.#head ?? '' }
  }

  /**
   * Appends as it is, without planning again on conflict; what was accepted is folded. Entries that others have added meanwhile are folded
   * before, unless the append has a version of its own.
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
   * Plans on the current state and appends under its version; if that is refused, reads, folds and plans again. Resolves to what was
   * written; `undefined` if the plan is void by then.
   */
  write(
    plan: (state: ThreadState) => Plan | undefined,
    { signal, onRefused, onAccepted }: WriteOptions = {},
  ): Promise<Entry[] | undefined> {
    const round = async (paused: boolean): Promise<{ done: Entry[] | undefined } | undefined> => {
      if (paused) await this.#catchUp()
      const planned = plan(this.state)
      if (!planned) return { done: undefined }
      const { entries } = planned
      const append = toAppend(this.state, planned)
      const outcome = await this.#send(append)
      if (!outcome.ok) {
        await this.#learn(outcome.conflict)
        onRefused?.(outcome.conflict)
        return undefined
      }
      // The append was guarded, so these are exactly the next entries; plans are made of plain copies.
      const { at } = outcome
      for (const [i, entry] of entries.entries()) this.#foldEntry(entry, { at, body: append.entries[i] ?? '' })
      this.#head = outcome.head
      onAccepted?.(outcome)
      return { done: entries }
    }
    return commit(this.#name, ({ paused }) => this.#exclusive(() => round(paused)), signal)
  }

  get #name(): string {
    return `Thread ${this.state.threadId}`
  }

  /** Folds what a refusal was for. A store that refuses because of entries that it does not have is not the one that was read before. */
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
    // Fold the stored strings, not the caller's objects: what is in memory is what a reload would give.
    if (!outcome.ok) return outcome
    for (const body of append.entries) this.#fold(body, outcome.at)
    this.#head = outcome.head
    return outcome
  }

  /** Appends to exactly what was folded. */
  async #send(append: Append): Promise<AppendOutcome> {
    const head = this.#head
    const outcome = await this.store.append(head === undefined ? append : { ...append, head })
    this.#clock(outcome.ok ? outcome.at : outcome.now)
    return outcome
  }

  async #catchUp(): Promise<void> {
    const { threadId, version } = this.state
    const slice = await this.store.read(threadId, { after: version })
    this.#requireUpTo(version, slice.version)
    if (this.#head !== undefined && slice.follows !== this.#head) throw this.#fallBehind(version, slice.version)
    this.#clock(slice.now)
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
    // What is dated in the future counts from now on: it must not wait for that time to come.
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
      `A clock that was ${Math.ceil(aheadMs / 1000)} s ahead dated entries of thread ${this.state.threadId}. Their times are wrong; what they delay counts from when they are read.`,
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

function toAppend({ threadId, version }: ThreadState, { entries, lease, grants: spent = [] }: Plan): Append {
  const append: Append = { threadId, version, entries: entries.map((entry) => JSON.stringify(entry)) }
  const requests = projectRequests(entries)
  const grants = [...projectGrants(entries), ...spent]
  if (requests.length > 0) append.requests = requests
  if (lease) append.lease = lease
  if (grants.length > 0) append.grants = grants
  return append
}
