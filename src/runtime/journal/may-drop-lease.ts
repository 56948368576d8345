import { callsOf, framesOf, isSettled } from '../../core/queries.ts'
import type { ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { CallKey } from '../../protocol/ids.ts'

/**
 * Whether the append of these entries may drop the lease: the run is over, or only people can move the thread. Nothing else decides this.
 * `false` is always safe: the loop drops the lease before it waits for people.
 */
export function mayDropLease(state: ThreadState, entries: readonly Entry[]): boolean {
  if (entries.some(({ type }) => type === 'run.settled')) return true
  // Nested runs may be busy.
  if (framesOf(state).length > 1) return false
  if (entries.some((entry) => entry.type === 'call.started' && entry.handedOver === undefined)) return false
  // Its host decides what comes next.
  if (state.run?.driver === 'external') return true
  // The calls of a new answer are not in the state yet. If one is held, the others wait for it or are cleared in the loop's next round.
  if (entries.some(({ type }) => type === 'model.answered'))
    return entries.some(({ type }) => type === 'request.opened')
  const settled = callsIn(entries, 'call.finished', 'call.refused')
  const asked = callsIn(entries, 'request.opened')
  const left = callsOf(state).filter((call) => !isSettled(call) && !settled.has(call.key))
  return left.length > 0 && left.every((call) => call.phase.at === 'held' || asked.has(call.key))
}

function callsIn(entries: readonly Entry[], ...types: Entry['type'][]): Set<CallKey | undefined> {
  return new Set(entries.flatMap((entry) => (types.includes(entry.type) && 'call' in entry ? [entry.call] : [])))
}
