import type { RequestFacts } from '../../core/views/request-view.ts'
import { wakeOf } from '../../core/wake.ts'
import type { Append } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'

/**
 * The wake mark that goes along with entries about requests: the thread has to be driven, unless the application asked outside of a run, or the run
 * is driven from outside.
 */
export function markOf(entries: readonly Entry[], facts: readonly RequestFacts[]): Pick<Append, 'wake'> {
  const ofApplication = new Set(facts.flatMap(({ opened }) => (opened.run === undefined ? [opened.id] : [])))
  if (facts.some(({ opened }) => opened.driver === 'external')) return {}
  const wake = wakeOf(entries, (request) => !ofApplication.has(request))
  return wake ? { wake } : {}
}
