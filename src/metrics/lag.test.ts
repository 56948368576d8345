import { expect, it } from 'vitest'
import { Lag } from './lag.ts'

it('a lag that is over is shown for a minute, not until the next row is written', () => {
  let now = 0
  const lag = new Lag(() => now)
  expect(lag.seconds).toBe(0)
  lag.was(830_000)
  expect(lag.seconds).toBe(830)
  now = 59_999
  expect(lag.seconds).toBe(830)
  now = 60_000
  expect(lag.seconds).toBe(0)
  lag.was(2000)
  expect(lag.seconds).toBe(2)
})
