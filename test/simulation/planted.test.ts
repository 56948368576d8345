import { beforeAll, expect, test } from 'vitest'
import { soak } from '../support/soak.ts'
import { PLANTED } from './planted/bugs.ts'
import { search, shrink } from './search.ts'
import { simulate, warmUp } from './simulate.ts'

beforeAll(warmUp)

/** How many schedules may be needed to find a bug: many more than it takes now, since any change of the code tells other stories. */
const MOST = soak.times(2000, 5000)

test.each(PLANTED.map((bug) => ({ ...bug })))('the simulation finds $name', { timeout: 900_000 }, async (bug) => {
  const counts = (problem: string) => bug.breaks.some((name) => problem.startsWith(name))
  const failure = await search(soak.seeds(MOST, MOST), { bug, counts })
  expect(failure?.outcome.violations.filter(counts)).not.toEqual([])
  expect(failure).toBeDefined()
})

test('a failing plan is made smaller, still fails, and fails in the same way when it is repeated', {
  timeout: 900_000,
}, async () => {
  const bug = PLANTED.find(({ name }) => name.includes('looked at too early'))!
  const counts = (problem: string) => problem.startsWith('one driver')
  const failure = (await search(soak.seeds(MOST, MOST), { bug, counts }))!
  const small = await shrink(failure, { bug, counts })
  expect(sizeOf(small.plan)).toBeLessThan(sizeOf(failure.plan))
  const again = await simulate(small.plan, bug)
  expect(again.story).toEqual(small.outcome.story)
  expect(again.violations.some(counts)).toBe(true)
})

function sizeOf({
  runs,
  faults,
  workers,
}: {
  runs: readonly unknown[]
  faults: readonly unknown[]
  workers: readonly unknown[]
}): number {
  return JSON.stringify([runs, faults, workers]).length
}
