import { test } from 'vitest'
import { PLANTED } from './planted/bugs.ts'
import { search, shrink } from './shrink.ts'
import { simulate } from './simulate.ts'
import { drawPlan } from './world/plan.ts'
test('planted', async () => {
  await simulate(drawPlan(0))
  for (const bug of PLANTED) {
    const began = performance.now()
    const counts = (problem: string) => bug.breaks.some((each) => problem.startsWith(each))
    const found = await search(Array.from({ length: 300 }, (_, i) => i + 1), { bug, counts })
    const small = found && process.env.V ? await shrink(found, { bug, counts }) : found
    console.log(bug.name, '|', found?.schedules, found?.outcome.violations.slice(0,3), (performance.now() - began)|0)
    if (process.env.V) console.log(small?.outcome.story.join('\n'))
  }
}, 600_000)
