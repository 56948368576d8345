import type { Entry } from '../protocol/entries/entry.ts'
import { findCall } from './queries.ts'
import type { Answer, Call, ThreadState } from './state.ts'

/**
 * When the last of the answers that these entries act on takes effect. The store must refuse them before: an answer can be withdrawn until then.
 * `undefined`: none of these answers has an undo window.
 */
export function effectiveFrom(state: ThreadState, entries: readonly Entry[]): number | undefined {
  const times = entries.flatMap((entry) => windowEnd(state, entry) ?? [])
  return times.length > 0 ? Math.max(...times) : undefined
}

function windowEnd(state: ThreadState, entry: Entry): number | undefined {
  switch (entry.type) {
    case 'call.released':
    case 'call.started':
    case 'call.refused':
    case 'request.opened':
    case 'request.reopened':
      return entry.call === undefined ? undefined : endOfCall(findCall(state, entry.call))
    case 'gate.passed':
      return endOf(state.run?.frames.get(entry.frame ?? entry.run)?.gate?.answer)
    default:
      return undefined
  }
}

function endOfCall(call: Call | undefined): number | undefined {
  switch (call?.phase.at) {
    case 'released':
      return call.phase.release.delayed ? call.phase.release.notBefore : undefined
    case 'answered':
      return endOf(call.phase.answer)
    default:
      return undefined
  }
}

function endOf(answer: Answer | undefined): number | undefined {
  if (answer?.kind !== 'decision' || answer.effectiveAt <= answer.at) return undefined
  return answer.effectiveAt
}
