import { beforeAll, expect, test } from 'vitest'
import { soak } from '../support/soak.ts'
import { search, shrink } from './search.ts'
import { simulate, warmUp } from './simulate.ts'
import { drawPlan } from './world/plan.ts'

beforeAll(warmUp)

test('no schedule of crashes, lost acknowledgements, freezes and wrong clocks breaks a guarantee', {
  timeout: soak.times(300_000, 3_600_000),
}, async () => {
  const failure = await search(soak.seeds(160, 20_000))
  if (!failure) return
  const { plan, outcome } = await shrink(failure)
  expect.fail([`seed ${failure.plan.seed}, shrunk: ${JSON.stringify(plan)}`, ...outcome.story].join('\n'))
})

test('a seed tells the same story every time, byte for byte', { timeout: 300_000 }, async () => {
  for (const seed of [3, 8, 77]) {
    const [first, again] = [await simulate(drawPlan(seed)), await simulate(drawPlan(seed))]
    expect(first.story.length).toBeGreaterThan(20)
    expect(again.story.join('\n')).toBe(first.story.join('\n'))
    expect(again.steps).toBe(first.steps)
  }
})
