import type { Actor } from '../../protocol/decision.ts'
import type { Grant } from '../../protocol/grant.ts'
import { put } from '../shared-map.ts'
import type { ThreadState } from '../state.ts'

/** Records a grant that was given in this thread. */
export function foldGiven(state: ThreadState, grant: Grant, at: number): void {
  const given = { grant, at, seq: state.version, used: 0, spent: 0, revoked: null }
  state.grants = put(state.grants, grant.id, given)
  state.grantChanges += 1
}

/** Marks grants as revoked. */
export function foldTakenBack(state: ThreadState, which: (grant: Grant) => boolean): void {
  for (const given of state.grants.values()) {
    if (given.revoked !== null || !which(given.grant)) continue
    given.revoked = state.version
    state.grantChanges += 1
  }
}

/** Counts a use of one of this thread's own grants. Grants of other threads are unknown here. */
export function foldSpent(state: ThreadState, by: Actor | undefined, amount = 0): void {
  const given = by?.kind === 'grant' ? state.grants.get(by.id) : undefined
  if (!given) return
  given.used += 1
  given.spent += amount
}
