import { apply } from '../../src/core/fold/fold.ts'
import { type ProjectedGrant, projectGrants } from '../../src/core/grants.ts'
import { next } from '../../src/core/next.ts'
import { emptyState, type ThreadState } from '../../src/core/state.ts'
import { projectRequests } from '../../src/core/views/project.ts'
import { type ProjectedWake, wakeAfter, wakeAt, wakeOf } from '../../src/core/wake.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { Witness } from './witness.ts'

/** Who drives, as the store knows it. */
interface Lease {
  token: number
}

/** How an append is guarded, as by the store port: the thread's version, the lease, and always the versions of the requests it changes. */
export interface Guard {
  version?: number
  lease?: { take: true } | { hold: number }
  grants?: readonly ProjectedGrant[]
  /** Default: what the entries say. */
  wake?: ProjectedWake
}

/** One thread in a store: the journal, the versions of its requests, the lease, the time. A witness checks every entry that it accepts. */
export class World {
  now = 1_000
  readonly journal: { entry: Entry; at: number }[] = []
  readonly truth: ThreadState = emptyState('default', 't')
  readonly witness = new Witness()
  lease: Lease | null = null
  /** The wake mark. */
  wake: number | null = null
  readonly #requests = new Map<string, number>()
  #grants = new Map<string, { uses: number | null; used: number }>()
  #tokens = 0
  #ids = 0

  newId = (): string => `id${++this.#ids}`

  /** The state as somebody who read everything sees it. */
  read(state: ThreadState = emptyState('default', 't')): ThreadState {
    for (let i = state.version; i < this.journal.length; i++) apply(state, this.journal[i]!.entry, this.journal[i]!.at)
    return state
  }

  /** What is left of the grants after these changes; `undefined` if one is refused. */
  #judgeGrants(changes: readonly ProjectedGrant[]): Map<string, { uses: number | null; used: number }> | undefined {
    const grants = new Map(this.#grants)
    for (const change of changes) {
      if (change.op === 'create') grants.set(change.row.id, { uses: change.row.uses, used: 0 })
      if (change.op !== 'spend') continue
      const left = grants.get(change.id)
      if (!left || (left.uses !== null && left.used >= left.uses)) return undefined
      grants.set(change.id, { ...left, used: left.used + 1 })
    }
    return grants
  }

  /** All or nothing; the token of the lease if it was taken. */
  append(entries: readonly Entry[], guard: Guard = {}): { ok: boolean; token?: number } {
    if (guard.version !== undefined && guard.version !== this.journal.length) return { ok: false }
    if (guard.lease && 'take' in guard.lease && this.lease) return { ok: false }
    if (guard.lease && 'hold' in guard.lease && this.lease?.token !== guard.lease.hold) return { ok: false }
    const versions = new Map(this.#requests)
    for (const change of projectRequests(entries, 't')) {
      const id = change.op === 'open' ? change.row.id : change.id
      const expected = change.op === 'open' ? undefined : change.from
      if (versions.get(id) !== expected) return { ok: false }
      versions.set(id, (expected ?? 0) + 1)
    }
    const grants = this.#judgeGrants([...projectGrants(entries), ...(guard.grants ?? [])])
    if (!grants) return { ok: false }
    this.#grants = grants
    for (const [id, version] of versions) this.#requests.set(id, version)
    this.#mark(guard.wake ?? markOf(entries))
    // Copying a state takes longer than all else here: every third is enough.
    const foreseen = this.journal.length % 3 === 0 ? wakeAfter(this.truth, entries, this.now) : undefined
    for (const entry of entries) {
      const stored = freeze(JSON.parse(JSON.stringify(entry)) as Entry)
      this.journal.push({ entry: stored, at: this.now })
      apply(this.truth, stored, this.now)
      this.witness.saw(stored, this.truth)
    }
    this.#checkMark(foreseen)
    if (!guard.lease || !('take' in guard.lease)) return { ok: true }
    this.lease = { token: ++this.#tokens }
    return { ok: true, token: this.lease.token }
  }

  #mark(wake: ProjectedWake | undefined): void {
    if (wake?.op === 'set') this.wake = wake.at
    else if (wake) this.wake = Math.min(this.wake ?? Number.POSITIVE_INFINITY, this.now + wake.inMs)
  }

  /** K1: whoever looks for threads to drive finds this one in time. Deadlines are found by themselves (K2). */
  #checkMark(foreseen: number | null | undefined): void {
    const isFound = this.wake !== null && this.wake <= this.now
    if (isFound && foreseen === undefined) return
    const at = wakeAt(this.truth, this.now)
    if (foreseen !== undefined && foreseen !== at) throw new Error(`K1: ${foreseen} was foreseen, and it is ${at}`)
    if (isFound || at === null || (this.wake !== null && this.wake <= at)) return
    if (next(this.truth, { now: this.now, running: new Set() }).do === 'expire') return
    throw new Error(`K1: there is something to do at ${at}, and the mark is ${this.wake}`)
  }
}

/** Every request of the story belongs to its run. */
function markOf(entries: readonly Entry[]): ProjectedWake | undefined {
  return entries.some(({ type }) => type === 'run.settled') ? { op: 'set', at: null } : wakeOf(entries, () => true)
}

/** Stored entries are shared by everybody who reads them, so whoever changes one is caught. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) freeze(item)
  return Object.freeze(value)
}
