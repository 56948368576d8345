import type { AskAgain, Start } from '../../core/plan/calls.ts'
import type { Call, Release } from '../../core/state.ts'
import type { PolicyMark } from '../../protocol/entry.ts'
import { FactsUnstable } from '../../protocol/errors.ts'
import { words } from '../definition/model-messages.ts'
import type { Driver } from '../loop/driver.ts'
import { changedCall, MAX_ROUNDS } from './exact-call.ts'
import { prepareStart } from './frames.ts'
import { judgeAgain } from './judge-again.ts'

/** Whether a released call may start, as the world is now. */
export type Clearance =
  | { kind: 'start'; start: Start }
  | { kind: 'refuse'; text: string; policies?: PolicyMark[] }
  | { kind: 'ask'; ask: Omit<AskAgain, 'id' | 'now' | 'release'> }
  /** What it rests on was different each time: nobody is asked any more. */
  | { kind: 'give-up'; error: FactsUnstable }

/** Looks at the policies, the tool and its facts right before the append in which a call starts. Writes nothing. */
export async function clear(driver: Driver, call: Call, release: Release): Promise<Clearance> {
  const again = await judgeAgain(driver, call, release)
  if (again?.kind === 'deny') return { kind: 'refuse', text: words.denied(again.reason), policies: again.marks }
  if (again?.kind === 'review') return { kind: 'ask', ask: again.ask }
  const changed = await changedCall(driver, call, release)
  if (changed && call.changes + 1 >= MAX_ROUNDS)
    return { kind: 'give-up', error: new FactsUnstable(release.tool, changed.members, MAX_ROUNDS) }
  if (changed) {
    const { members: _members, ...now } = changed
    return { kind: 'ask', ask: { ...now, reason: 'changed' } }
  }
  const ready = await prepareStart(driver, call, release)
  if ('refuse' in ready) return { kind: 'refuse', text: ready.refuse }
  return { kind: 'start', start: again ? { ...ready.start, policies: again.marks } : ready.start }
}
