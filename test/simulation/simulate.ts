import { check } from '../support/checker/check.ts'
import { withAmbient } from './engine/ambient.ts'
import type { Bug } from './planted/bug.ts'
import { drawPlan, type Plan, tellPlan } from './world/plan.ts'
import { World } from './world/world.ts'

/** What became of a simulation. */
export interface Outcome {
  readonly violations: readonly string[]
  /** Time, process, event: one line each. */
  readonly story: readonly string[]
  readonly steps: number
}

/** Simulates a plan, and checks every guarantee at its end. */
export async function simulate(plan: Plan, bug?: Bug): Promise<Outcome> {
  const world = new World(plan, bug)
  const { scheduler, store, effects, acknowledged } = world
  await withAmbient(scheduler, () => world.run())
  const threads = plan.runs.map(({ threadId }) => threadId)
  const isOver = world.violations.length === 0
  const found = await check({ store, effects, acknowledged, threads, isOver })
  const violations = [...world.violations, ...found]
  const { story, steps } = scheduler
  return { violations, steps, story: [...tellPlan(plan), ...story, ...found.map((problem) => `CHECKER ${problem}`)] }
}

let warm: Promise<unknown> | undefined

/** Loads what is loaded on first use. Loading takes real time, which must not be part of a story. */
export function warmUp(): Promise<void> {
  warm ??= simulate(drawPlan(1)).then(() => simulate(drawPlan(2)))
  return warm.then(() => undefined)
}
