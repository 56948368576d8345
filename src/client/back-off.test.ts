import { describe, expect, it } from 'vitest'
import { backOffMs, sleep } from './back-off.ts'

describe('the delay before a retry', () => {
  it('doubles up to its limit, with jitter over the upper half', () => {
    const options = { initialMs: 100, maxMs: 1000 }
    const expected = [100, 200, 400, 800, 1000, 1000]
    for (const [index, full] of expected.entries()) {
      const times = Array.from({ length: 200 }, () => backOffMs(index + 1, options))
      expect(Math.min(...times)).toBeGreaterThanOrEqual(full / 2)
      expect(Math.max(...times)).toBeLessThanOrEqual(full)
      expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(full / 4)
    }
  })

  it('stays within its limit, however many tries failed', () => {
    expect(backOffMs(10_000, {})).toBeLessThanOrEqual(30_000)
  })

  it('ends at once when the signal fires', async () => {
    const stop = new AbortController()
    const slept = sleep(1_000_000, stop.signal)
    stop.abort()
    await slept
    await sleep(1_000_000, stop.signal)
  })
})
