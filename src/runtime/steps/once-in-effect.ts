import { effectiveFrom } from '../../core/in-effect.ts'
import type { ThreadState } from '../../core/state.ts'
import type { DriverPlan } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * A plan that acts on answers of people. The store judges the ends of their undo windows by its own time, in the same append, so that acting and
 * withdrawing cannot both succeed. `undefined` if one of them is still running: this process's clock was ahead, and the store has told its time.
 */
export function onceInEffect(journal: Journal, state: ThreadState, plan: DriverPlan): DriverPlan | undefined {
  const from = effectiveFrom(state, plan.entries)
  if (from === undefined) return plan
  return from > journal.now() ? undefined : { ...plan, notBefore: Math.ceil(from) }
}
