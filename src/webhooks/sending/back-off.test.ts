import { expect, it } from 'vitest'
import { nextTry } from './back-off.ts'

const HOUR = 3_600_000

it('tries again after 5 s, 30 s, 2 min, 10 min, 1 h and then every 6 h, and gives up after 24 hours', () => {
  const delays: number[] = []
  let now = 0
  for (let attempts = 1; ; attempts++) {
    const next = nextTry({ attempts, since: 0, now }, () => 0.5)
    if (next === undefined) break
    delays.push(next - now)
    now = next
  }
  expect(delays).toEqual([5000, 30_000, 120_000, 600_000, HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR])
})

it('spreads the delays by a fifth in both directions', () => {
  expect(nextTry({ attempts: 1, since: 0, now: 0 }, () => 0)).toBe(4000)
  expect(nextTry({ attempts: 1, since: 0, now: 0 }, () => 1)).toBe(6000)
})
