import type { Bug } from './planted/bug.ts'
import { type Outcome, simulate } from './simulate.ts'
import type { Wish } from './world/clerks.ts'
import { drawPlan, type Plan } from './world/plan.ts'

/** A plan that breaks a guarantee, and how. */
export interface Failure {
  readonly plan: Plan
  readonly outcome: Outcome
  /** How many plans were simulated until it was found. */
  readonly schedules: number
}

/** Which violations count. Default: all. */
type Counts = (problem: string) => boolean

/** Simulates plan after plan. Resolves to the first that breaks a guarantee. */
export async function search(
  seeds: Iterable<number>,
  { bug, counts = () => true }: { bug?: Bug; counts?: Counts } = {},
): Promise<Failure | undefined> {
  let schedules = 0
  for (const seed of seeds) {
    const plan = drawPlan(seed)
    const outcome = await simulate(plan, bug)
    schedules += 1
    if (outcome.violations.some(counts)) return { plan, outcome, schedules }
  }
  return undefined
}

/**
 * Makes a failing plan as small as it can be while it still fails: fewer runs, fewer faults, no erasure, fewer turns and refunds, one worker less. Tries at most
 * `most` plans.
 */
export async function shrink(
  { plan, outcome, schedules }: Failure,
  { bug, counts = () => true, most = 200 }: { bug?: Bug; counts?: Counts; most?: number } = {},
): Promise<Failure> {
  let best = { plan, outcome, schedules }
  let left = most
  for (let isSmaller = true; isSmaller && left > 0; ) {
    isSmaller = false
    for (const smaller of smallerThan(best.plan)) {
      if (left-- <= 0) break
      const found = await simulate(smaller, bug)
      if (!found.violations.some(counts)) continue
      best = { plan: smaller, outcome: found, schedules }
      isSmaller = true
      break
    }
  }
  return best
}

/** Every plan that has one thing less. */
function* smallerThan(plan: Plan): Generator<Plan> {
  const { runs, faults, workers, moves, erasures } = plan
  for (const index of runs.keys()) if (runs.length > 1) yield { ...plan, runs: runs.toSpliced(index, 1) }
  for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) }
  for (const index of moves.keys()) yield { ...plan, moves: moves.toSpliced(index, 1) }
  for (const index of erasures.keys()) yield { ...plan, erasures: erasures.toSpliced(index, 1) }
  for (const [index, { wish, ...run }] of runs.entries()) {
    const { question, ...silent } = wish
    const change = (smaller: Wish): Plan => ({ ...plan, runs: runs.with(index, { ...run, wish: smaller }) })
    if (wish.nested) yield change({ ...wish, nested: false })
    if (question) yield change(silent)
    if (wish.turns.length > 1) yield change({ ...wish, turns: wish.turns.slice(1) })
    for (const [turn, amounts] of wish.turns.entries())
      if (amounts.length > 1) yield change({ ...wish, turns: wish.turns.with(turn, amounts.slice(1)) })
  }
  if (workers.length > 1) yield { ...plan, workers: workers.slice(0, -1) }
}
