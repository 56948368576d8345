import { apply } from '../core/fold.ts'
import { type ProjectedGrant, projectGrants } from '../core/grants.ts'
import { projectRequests } from '../core/project.ts'
import { emptyState, type ThreadState } from '../core/state.ts'
import type { Append, AppendOutcome, LeaseChange, Store } from '../ports/store.ts'
import type { Entry } from '../protocol/entry.ts'
import { parseBody } from '../protocol/versions.ts'

/** What a writer wants to add, given the state it would be added to. */
export interface Plan {
  entries: Entry[]
  lease?: LeaseChange
  /** What is spent; what entries create or revoke is told by themselves. */
  grants?: readonly ProjectedGrant[]
}

/**
 * One reader's view of one thread: the store's entries, folded as far as they were read.
 *
 * J1  `state` is always the fold of a prefix of the stored journal: what was refused is never folded.
 * J2  Writes of one journal object go one after the other, each planned on the newest state that this object has seen.
 */
export class Journal {
  readonly state: ThreadState
  readonly store: Store
  /** The bodies that were folded, as stored: what a state text is made of. */
  readonly bodies: { at: number; body: string }[] = []
  #queue: Promise<unknown> = Promise.resolve()
  #storeTime = 0
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

  /** The store's time, as far as this process can tell between two reads. */
  now(): number {
    return this.#storeTime + (performance.now() - this.#seenAt)
  }

  /** Reads and folds what others have added. */
  catchUp(): Promise<void> {
    return this.#exclusive(() => this.#catchUp())
  }

  /** Appends as it is, without planning again on conflict; what was accepted is folded. */
  append(append: Append): Promise<AppendOutcome> {
    return this.#exclusive(() => this.#append(append))
  }

  /** Plans on the current state and appends under its version. `undefined` if the plan is void; a conflict is for the caller to resolve. */
  write(
    plan: (state: ThreadState) => Plan | undefined,
  ): Promise<{ entries: Entry[]; outcome: AppendOutcome } | undefined> {
    return this.#exclusive(async () => {
      const planned = plan(this.state)
      if (!planned) return undefined
      const { entries, lease } = planned
      const grants = projectGrants(entries)
      if (planned.grants) grants.push(...planned.grants)
      const bodies = entries.map((entry) => JSON.stringify(entry))
      const { threadId, version } = this.state
      const append: Append = { threadId, version, entries: bodies }
      const requests = projectRequests(entries)
      if (requests.length > 0) append.requests = requests
      if (lease) append.lease = lease
      if (grants.length > 0) append.grants = grants
      const outcome = await this.store.append(append)
      this.#clock(outcome.ok ? outcome.at : outcome.now)
      if (!outcome.ok) await this.#catchUp()
      // The append was guarded by the version, so these are exactly the next entries; plans are made of plain copies.
      else for (const [i, entry] of entries.entries()) this.#foldEntry(entry, { at: outcome.at, body: bodies[i] ?? '' })
      return { entries, outcome }
    })
  }

  async #append(append: Append): Promise<AppendOutcome> {
    const outcome = await this.store.append(append)
    this.#clock(outcome.ok ? outcome.at : outcome.now)
    if (!outcome.ok) return outcome
    if (outcome.version === this.state.version + append.entries.length) {
      // Fold the stored texts, not the caller's objects: what is in memory is what a reload would give.
      for (const body of append.entries) this.#fold(body, outcome.at)
    } else {
      await this.#catchUp()
    }
    return outcome
  }

  async #catchUp(): Promise<void> {
    const slice = await this.store.read(this.state.threadId, { after: this.state.version })
    this.#clock(slice.now)
    for (const { body, at } of slice.entries) this.#fold(body, at)
  }

  #fold(body: string, at: number): void {
    const { threadId, version } = this.state
    this.#foldEntry(parseBody(body, { threadId, seq: version + 1 }), { at, body })
  }

  #foldEntry(entry: Entry, stored: { at: number; body: string }): void {
    apply(this.state, entry, stored.at)
    this.bodies.push(stored)
    for (const observer of this.#observers) observer(entry, stored.at)
  }

  #clock(storeTime: number): void {
    this.#storeTime = storeTime
    this.#seenAt = performance.now()
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work, work)
    this.#queue = done.catch(() => undefined)
    return done
  }
}
