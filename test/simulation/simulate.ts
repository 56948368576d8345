import { checkAll } from '../support/checker/check.ts'
import { withAmbient } from './engine/ambient.ts'
import type { Bug } from './planted/bug.ts'
import { drawPlan, namesOf, type Plan, personOf, tellPlan, tenantsOf } from './world/plan.ts'
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
  const { scheduler, store, effects, acknowledged, erased } = world
  await withAmbient(scheduler, () => world.run())
  const tenants = tenantsOf(plan).map((tenantId) => ({
    tenantId,
    threads: plan.runs.filter((run) => run.tenantId === tenantId).map(({ threadId }) => threadId),
    people: namesOf(plan).desks.map((desk) => personOf(desk, tenantId)),
  }))
  const isOver = world.violations.length === 0
  const found = await checkAll(tenants, { store, effects, acknowledged, erased, isOver })
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
