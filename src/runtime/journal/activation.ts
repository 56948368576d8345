import type { ProjectedGrant } from '../../core/grants.ts'
import type { ThreadState } from '../../core/state.ts'
import { isExternal, wakeAfter } from '../../core/wake.ts'
import type { RecordChange } from '../../ports/records.ts'
import type { LeaseChange, LeaseClaim } from '../../ports/store.ts'
import type { WakeChange } from '../../ports/wake.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { ThreadBusy } from '../../protocol/errors/errors.ts'
import { isGone } from './holder.ts'
import type { Journal } from './journal.ts'

/** The duration of a lease. It is renewed after a third of that; a sixth must be left to start a body. */
export const LEASE_MS = 30_000

/** An append that the driver plans. */
export interface DriverPlan {
  entries: Entry[]
  /** Drop the lease in the same append, since nothing is left to drive. */
  drop?: boolean
  /** The uses of grants that it spends. */
  grants?: readonly ProjectedGrant[]
  /** Refused before this time of the store. */
  notBefore?: number | undefined
  /** Records to write in the same transaction. If one of them is refused, `write` throws `RecordTaken`. */
  records?: readonly RecordChange[]
}

/** Learns whether the grants that a plan spends were still valid. */
export interface GrantLedger {
  /** The grant can no longer be spent: plan without it. */
  lose(id: string): void
  /** The grants were spent. */
  took(spent: readonly ProjectedGrant[]): void
}

/** Another holder took the lease while this process was driving. Never leaves the runtime. */
export class LeaseLost extends Error {}

/** A record of the append is not as the plan expected. Nothing was stored. Never leaves the runtime. */
export class RecordTaken extends Error {}

/** Options of an activation. */
export interface ActivationOptions {
  /** Stops `write` between two attempts. */
  signal?: AbortSignal
  /** Default {@link LEASE_MS}. */
  leaseMs?: number
}

/** The run that is driven, and the version of its agent. */
interface DrivenRun {
  readonly id: string
  readonly version: string | undefined
}

/** A moment on both clocks: the monotonic one may stop while the machine sleeps, and the wall clock can be set. */
interface Moment {
  readonly steady: number
  readonly wall: number
}

/**
 * One process driving one thread. Each of its appends carries the lease's token.
 *
 * A1  The first append takes the lease and the last one drops it. It is never held while the thread waits only for people.
 * A2  If another process holds the lease, the first append is refused and throws `ThreadBusy`. Nothing is stored.
 * A3  After `LeaseLost` only `report` writes.
 * A4  A body starts only while `covers` is true for the token under which its start was written: the lease is not known to be lost, and enough of
 *     it is left by this process's own clocks, counted from before the lease was requested.
 * A5  It goes on with one version of the agent: if the run is moved to another meanwhile, the next `write` throws `LeaseLost`.
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
  #run: DrivenRun | undefined

  constructor(journal: Journal, holder: string, { signal, leaseMs = LEASE_MS }: ActivationOptions = {}) {
    this.#journal = journal
    this.#holder = holder
    this.#signal = signal
    this.#leaseMs = leaseMs
    this.#run = drivenRun(journal.state)
  }

  /** Whether this activation ever held the lease. */
  get began(): boolean {
    return this.#began
  }

  /** The fencing token, while this activation holds the lease. */
  get token(): number | undefined {
    return this.#token
  }

  /** Whether this activation holds the lease. */
  get holds(): boolean {
    return this.#token !== undefined
  }

  /** Whether a body may start on this token now. */
  covers(token: number | undefined): boolean {
    return token !== undefined && token === this.#token && !this.#isShort
  }

  /** Renews the lease if little of it is left, and returns whether a body may start on this token. Confirm with `covers` right before the start. */
  async secure(token: number | undefined): Promise<boolean> {
    if (token === this.#token && this.#isShort) await this.#renew()
    return this.covers(token)
  }

  /**
   * Plans and appends under the lease, and retries after each conflict. Resolves to `undefined` if `plan` returns that. `ledger` learns which grant
   * is gone before `plan` is called again.
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
        if (this.#lost || this.#isMoved(state)) throw new LeaseLost()
        const planned = plan(state)
        if (!planned) return undefined
        const { entries, drop = false, grants = [], notBefore, records } = planned
        spent = grants
        asked = now()
        const wake = drop ? this.#markAfter(state, entries) : this.#markOnTake(entries)
        return { entries, grants, lease: this.#change(drop, over), wake, notBefore, records }
      },
      {
        signal: this.#signal,
        onRefused: (conflict) => {
          if (conflict.kind === 'lease') over = this.#overtake(conflict.lease)
          if (conflict.kind === 'grant') ledger?.lose(conflict.id)
          if (conflict.kind === 'record') throw new RecordTaken()
        },
        onAccepted: ({ lease }) => {
          if (spent.length > 0) ledger?.took(spent)
          this.#keep(lease?.holder === this.#holder ? lease.token : undefined, asked)
        },
      },
    )
  }

  #isMoved(state: ThreadState): boolean {
    const now = drivenRun(state)
    if (this.#run?.id !== now?.id) this.#run = now
    return this.#run?.version !== now?.version
  }

  /** Takes the lease without writing an entry. */
  async acquire(): Promise<void> {
    if (!this.holds) await this.write(() => ({ entries: [] }))
  }

  /** Renews the lease if too little of it is left for a body to start. Throws `LeaseLost` if that fails. */
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

  /** Appends how bodies ended, or other facts that need no lease. Drops the lease in the same append if the plan says so. */
  async report(plan: (state: ThreadState) => DriverPlan | undefined): Promise<void> {
    await this.#journal.write(
      (state) => {
        const planned = plan(state)
        if (!planned || planned.entries.length === 0) return undefined
        if (!planned.drop || this.#token === undefined) return { entries: planned.entries }
        const lease = { op: 'drop', holder: this.#holder, token: this.#token } as const
        return { entries: planned.entries, lease, wake: this.#markAfter(state, planned.entries) }
      },
      {
        onAccepted: ({ lease }) => {
          if (lease?.token !== this.#token || lease?.holder !== this.#holder) this.#release()
        },
      },
    )
  }

  /** Drops the lease, if it is held. The thread's mark says when it has to be driven again. */
  async drop(): Promise<void> {
    const token = this.#token
    this.#release()
    if (token === undefined) return
    const lease = { op: 'drop', holder: this.#holder, token } as const
    await this.#journal.write((state) => ({ entries: [], lease, wake: this.#markAfter(state, []) }))
  }

  /** Drops the lease after a failure. The mark stays: whoever drives next finds the same work. */
  async giveUp(): Promise<void> {
    const token = this.#token
    this.#release()
    if (token === undefined) return
    await this.#journal.write(() => ({ entries: [], lease: { op: 'drop', holder: this.#holder, token } }))
  }

  /** Forgets a lost lease without telling the store, where another holder may have it. */
  abandon(): void {
    this.#lost = true
    this.#release()
  }

  /** A thread that was given up has no mark. Whoever drives it again sets one, so that others go on if this process dies. */
  #markOnTake(entries: readonly Entry[]): WakeChange | undefined {
    if (isExternal(this.#journal.state, entries)) return undefined
    const isBare = this.#token === undefined && this.#journal.wakeAt === null
    return isBare && entries.at(-1)?.type !== 'run.settled' ? { op: 'by', inMs: 0 } : undefined
  }

  #markAfter(state: ThreadState, entries: readonly Entry[]): WakeChange {
    return { op: 'set', at: wakeAfter(state, entries, this.#journal.now()) }
  }

  #change(thenDrop: boolean, over: LeaseClaim | undefined): LeaseChange {
    const drop = thenDrop ? { thenDrop } : {}
    if (this.#token !== undefined) return { op: 'hold', holder: this.#holder, token: this.#token, ...drop }
    return { op: 'take', holder: this.#holder, ttlMs: this.#leaseMs, ...(over === undefined ? {} : { over }), ...drop }
  }

  /** Returns the claim to take over if its holder's process is gone. Throws `ThreadBusy` or `LeaseLost` otherwise. */
  #overtake(lease: LeaseClaim | null): LeaseClaim | undefined {
    if (this.#token !== undefined) {
      this.abandon()
      throw new LeaseLost()
    }
    // An earlier append of this activation took the lease, and its acknowledgement was lost.
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

  /** Renews the lease. Concurrent calls share one request. Never rejects. */
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
      // The store is unreachable: the lease expires by itself, and nothing starts on it meanwhile.
      .catch(() => (this.#leftMs > 0 ? undefined : false))
    // The lease may have been dropped meanwhile.
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

function drivenRun({ run }: ThreadState): DrivenRun | undefined {
  return run ? { id: run.id, version: run.agent.version } : undefined
}

function now(): Moment {
  return { steady: performance.now(), wall: Date.now() }
}
