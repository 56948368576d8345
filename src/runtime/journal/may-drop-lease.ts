import { callsOf, framesOf, isSettled, type ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { CallKey } from '../../protocol/ids.ts'

/** Whether, once these entries are in, nothing but people can move the thread: then its lease goes in the same append. */
export function onlyPeopleAfter(state: ThreadState, entries: readonly Entry[]): boolean {
  // Other frames may be busy: the loop lets go of the lease when none is.
  if (framesOf(state).length > 1) return false
  const ofType = (...types: Entry['type'][]): Set<CallKey | undefined> =>
    new Set(entries.flatMap((entry) => (types.includes(entry.type) && 'call' in entry ? [entry.call] : [])))
  if (ofType('call.started').size > 0) return false
  const settling = ofType('call.finished', 'call.refused')
  const asked = ofType('request.opened')
  const left = callsOf(state).filter((call) => !isSettled(call) && !settling.has(call.key))
  return left.length > 0 && left.every((call) => call.phase.at === 'held' || asked.has(call.key))
}
