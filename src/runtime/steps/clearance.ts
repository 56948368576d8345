import type { AskAgain } from '../../core/plan/ask-again.ts'
import type { Start } from '../../core/plan/calls.ts'
import type { Call, Release } from '../../core/state.ts'
import type { PolicyMark } from '../../protocol/entries/entry.ts'
import { FactsUnstable } from '../../protocol/errors/errors.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { prepareStart } from '../frames/prepare-start.ts'
import { changedCall, MAX_ROUNDS } from '../judging/exact-call.ts'
import { type JudgeAgainParts, judgeAgain } from '../judging/judge-again.ts'

/** Dependencies of `clear`. */
export type ClearanceParts = JudgeAgainParts

/** Whether a released call may start now. */
export type Clearance =
  | { kind: 'start'; start: Start }
  | { kind: 'refuse'; text: string; policies?: PolicyMark[] }
  | { kind: 'ask'; ask: Omit<AskAgain, 'id' | 'now' | 'release'> }
  /** Its facts changed `MAX_ROUNDS` times. */
  | { kind: 'give-up'; error: FactsUnstable }

/** Checks the policies, the tool and its facts right before the append in which a call starts. Writes nothing. */
export async function clear(parts: ClearanceParts, call: Call, release: Release): Promise<Clearance> {
  const again = await judgeAgain(parts, call, release)
  if (again?.kind === 'deny') return { kind: 'refuse', text: modelMessages.denied(again.reason), policies: again.marks }
  if (again?.kind === 'review') return { kind: 'ask', ask: again.ask }
  const changed = await changedCall(parts, call, release)
  if (changed && call.changes + 1 >= MAX_ROUNDS)
    return { kind: 'give-up', error: new FactsUnstable(release.tool, changed.members, MAX_ROUNDS) }
  if (changed) {
    const { members: _members, ...now } = changed
    return { kind: 'ask', ask: { ...now, reason: 'changed' } }
  }
  const ready = await prepareStart(parts, call, release)
  if ('refuse' in ready) return { kind: 'refuse', text: ready.refuse }
  return { kind: 'start', start: again ? { ...ready.start, policies: again.marks } : ready.start }
}
