import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backOff } from './back-off.ts'

it('waits longer after each failure, up to five minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((tries) => backOff(tries, () => 1))
  expect(waits).toEqual([1000, 3000, 9000, 27_000, 81_000, 243_000, 300_000, 300_000, 300_000])
})

it('is at least half of that, whatever the random number', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), random, (tries, part) => {
      const wait = backOff(tries, () => part)
      const most = backOff(tries, () => 1)
      expect(wait).toBeGreaterThanOrEqual(most / 2)
      expect(wait).toBeLessThanOrEqual(most)
    }),
  )
})
