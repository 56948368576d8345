import type { ProjectedGrant } from '../../core/grants.ts'
import type { ThreadState } from '../../core/state.ts'
import type { LeaseChange, LeaseClaim } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { ThreadBusy } from '../../protocol/errors/errors.ts'
import { isGone } from './holder.ts'
import type { Journal } from './journal.ts'

/** How long a lease is given for. It is renewed at a third of that; a sixth must be left to start a body. */
export const LEASE_MS = 30_000

/** What a driver wants to write. */
export interface DriverPlan {
  entries: Entry[]
  /** Nothing is left to drive after this: let the lease go in the same append. */
  drop?: boolean
  /** What it spends of grants. */
  grants?: readonly ProjectedGrant[]
}

/** Who is told what became of the grants that a plan spends. */
export interface GrantLedger {
  /** There is nothing left of it: plan without it. */
  lose(id: string): void
  /** It was spent. */
  took(spent: readonly ProjectedGrant[]): void
}

/** The lease went to somebody else while this process was driving. Stays inside the runtime. */
export class LeaseLost extends Error {}

/** How an activation is made. */
export interface ActivationOptions {
  /** Ends writing between two tries. */
  signal?: AbortSignal
  /** Default {@link LEASE_MS}. */
  leaseMs?: number
}

/** A moment by both clocks: the monotonic one may stand still while the machine sleeps, the other one can be set. */
interface Moment {
  readonly steady: number
  readonly wall: number
}

/**
 * One process driving one thread: every append that it makes carries the lease's token.
 *
 * A1  The lease is taken in the first append and dropped in the last; it is never held while only people are waited for.
 * A2  If the lease is elsewhere, the first append is refused and `ThreadBusy` thrown: nothing was stored.
 * A3  After `LeaseLost` nothing is written but what `report` allows.
 * A4  A body starts only while `covers` says so of the token that its start was written under: the lease was not seen to go, and by this
 *     process's own clocks, counted from before it was asked for, enough of it is left.
 */
export class Activation {
  readonly #journal: Journal
  readonly #holder: string
  readonly #signal: AbortSignal | undefined
  readonly #leaseMs: number
  #token: number | undefined
  #since: Moment = { steady: 0, wall: 0 }
  #renewing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #lost = false
  #began = false

  constructor(journal: Journal, holder: string, { signal, leaseMs = LEASE_MS }: ActivationOptions = {}) {
    this.#journal = journal
    this.#holder = holder
    this.#signal = signal
    this.#leaseMs = leaseMs
  }

  /** Whether the lease was ever held here. */
  get began(): boolean {
    return this.#began
  }

  /** The fencing token, while the lease is held here. */
  get token(): number | undefined {
    return this.#token
  }

  /** Whether the lease is held here. */
  get holds(): boolean {
    return this.#token !== undefined
  }

  /** Whether a body may start on this token at this instant. */
  covers(token: number | undefined): boolean {
    return token !== undefined && token === this.#token && !this.#isShort
  }

  /** Whether a body may start on this token, after renewing it if little of it is left. To be confirmed by `covers` right before. */
  async secure(token: number | undefined): Promise<boolean> {
    if (token === this.#token && this.#isShort) await this.#renew()
    return this.covers(token)
  }

  /**
   * Plans and appends under the lease, again after each conflict. `undefined` if the plan is void by then. A plan that spends grants is told
   * which one is gone before it is made again.
   */
  async write(
    plan: (state: ThreadState) => DriverPlan | undefined,
    ledger?: GrantLedger,
  ): Promise<Entry[] | undefined> {
    let over: LeaseClaim | undefined
    let spent: readonly ProjectedGrant[] = []
    let asked = now()
    return this.#journal.write(
      (state) => {
        if (this.#lost) throw new LeaseLost()
        const planned = plan(state)
        if (!planned) return undefined
        const { entries, drop = false, grants = [] } = planned
        spent = grants
        asked = now()
        return { entries, grants, lease: this.#change(drop, over) }
      },
      {
        signal: this.#signal,
        onRefused: (conflict) => {
          if (conflict.kind === 'lease') over = this.#overtake(conflict.lease)
          if (conflict.kind === 'grant') ledger?.lose(conflict.id)
        },
        onAccepted: ({ lease }) => {
          if (spent.length > 0) ledger?.took(spent)
          this.#keep(lease?.holder === this.#holder ? lease.token : undefined, asked)
        },
      },
    )
  }

  /** Takes the lease without writing an entry. */
  async acquire(): Promise<void> {
    if (!this.holds) await this.write(() => ({ entries: [] }))
  }

  /** Makes sure that enough of the lease is left for a body to start. */
  async ensureMargin(): Promise<void> {
    if (this.#isShort) await this.#renew()
    if (this.#lost || this.#isShort) throw new LeaseLost()
  }

  get #isShort(): boolean {
    return this.#token !== undefined && this.#leftMs < this.#leaseMs / 6
  }

  get #leftMs(): number {
    const { steady, wall } = now()
    return this.#leaseMs - Math.max(steady - this.#since.steady, wall - this.#since.wall)
  }

  /** Appends what a body came to: needs no lease, only that the plan still holds. Drops the lease on the way if it was the last. */
  async report(plan: (state: ThreadState) => DriverPlan | undefined): Promise<void> {
    await this.#journal.write(
      (state) => {
        const planned = plan(state)
        if (!planned || planned.entries.length === 0) return undefined
        if (!planned.drop || this.#token === undefined) return { entries: planned.entries }
        return { entries: planned.entries, lease: { op: 'drop', holder: this.#holder, token: this.#token } }
      },
      {
        onAccepted: ({ lease }) => {
          if (lease?.token !== this.#token || lease?.holder !== this.#holder) this.#release()
        },
      },
    )
  }

  /** Lets the lease go, if it is held. */
  async drop(): Promise<void> {
    const token = this.#token
    this.#release()
    if (token === undefined) return
    const { threadId } = this.#journal.state
    await this.#journal.append({ threadId, entries: [], lease: { op: 'drop', holder: this.#holder, token } })
  }

  /** Lets go of a lease that is void, without a word to the store: its token may be somebody else's there. */
  abandon(): void {
    this.#lost = true
    this.#release()
  }

  #change(thenDrop: boolean, over: LeaseClaim | undefined): LeaseChange {
    const drop = thenDrop ? { thenDrop } : {}
    if (this.#token !== undefined) return { op: 'hold', holder: this.#holder, token: this.#token, ...drop }
    return { op: 'take', holder: this.#holder, ttlMs: this.#leaseMs, ...(over === undefined ? {} : { over }), ...drop }
  }

  /** The claim of a holder whose process is gone, to be taken over; otherwise the thread is busy or lost. */
  #overtake(lease: LeaseClaim | null): LeaseClaim | undefined {
    if (this.#token !== undefined) {
      this.abandon()
      throw new LeaseLost()
    }
    // An append of this activation took it, and its acknowledgement was lost.
    const isOwn = lease?.holder === this.#holder
    if (lease && !isOwn && !isGone(lease.holder)) throw new ThreadBusy(this.#journal.state.threadId, lease.holder)
    return lease ? { holder: lease.holder, token: lease.token } : undefined
  }

  #keep(token: number | undefined, asked: Moment): void {
    if (token === undefined) return this.#release()
    if (token === this.#token) return
    this.#began = true
    clearInterval(this.#timer)
    this.#token = token
    this.#since = asked
    this.#timer = setInterval(() => void this.#renew(), this.#leaseMs / 3).unref()
  }

  /** Renews the lease, once for all who ask meanwhile. Never rejects. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#askForMore().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #askForMore(): Promise<void> {
    const token = this.#token
    if (token === undefined) return
    const asked = now()
    const { store, state } = this.#journal
    const renewed = await store
      .renewLease(state.threadId, { holder: this.#holder, token, ttlMs: this.#leaseMs })
      // The store is out of reach: the lease runs out by itself, and nothing starts on it meanwhile.
      .catch(() => (this.#leftMs > 0 ? undefined : false))
    // It may have been dropped meanwhile.
    if (token !== this.#token) return
    if (renewed === true) this.#since = asked
    else if (renewed === false) this.abandon()
  }

  #release(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#token = undefined
  }
}

function now(): Moment {
  return { steady: performance.now(), wall: Date.now() }
}
