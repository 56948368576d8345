import { type ProjectedGrant, projectGrants } from '../../core/grants.ts'
import type { ThreadState } from '../../core/state.ts'
import { projectRequests } from '../../core/views/project.ts'
import { isExternal, openedRun, wakeOf } from '../../core/wake.ts'
import type { RecordChange } from '../../ports/records.ts'
import type { Append, AppendOutcome, Conflict, LeaseChange } from '../../ports/store.ts'
import type { WakeChange } from '../../ports/wake.ts'
import type { Entry } from '../../protocol/entries/entry.ts'

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

/** The append that a plan means, with the rows that its entries change. */
export function toAppend(state: ThreadState, { entries, lease, grants: spent = [], ...plan }: Plan): Append {
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

/** The wake time after a change that was stored at `at`. */
export function markedBy(wake: WakeChange, at: number, before: number | null | undefined): number | null {
  return wake.op === 'set' ? wake.at : Math.min(before ?? Number.POSITIVE_INFINITY, at + wake.inMs)
}
