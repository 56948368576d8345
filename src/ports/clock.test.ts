import { getEventListeners, setMaxListeners } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { fakeClock } from '../testing/fake-clock.ts'
import { after, pause, sleep } from './clock.ts'
import { NEVER, untilAborted } from './signals.ts'

const DAY_MS = 86_400_000

afterEach(() => void vi.useRealTimers())

test('a sleep whose signal has fired already rejects at once with its reason', async () => {
  const reason = new Error('enough')
  const began = performance.now()
  await expect(sleep(60_000, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  await pause(60_000, { signal: AbortSignal.abort(reason) })
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('a signal that fires ends a sleep with its reason, and its timer is gone', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const sleeping = sleep(1_000, { signal: stop.signal, clock })
  expect(clock.waiting).toBe(1)
  stop.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  expect(clock.waiting).toBe(0)
})

test('a thousand sleeps leave no listener on their signal, however they end', async () => {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const clock = fakeClock()
  const sleeping = Array.from({ length: 500 }, () => sleep(5, { signal, clock }))
  expect(getEventListeners(signal, 'abort')).toHaveLength(500)
  clock.advance(5)
  await Promise.all([...sleeping, ...Array.from({ length: 500 }, () => sleep(0, { signal }))])
  await Promise.all(Array.from({ length: 100 }, () => untilAborted(Promise.resolve(1), signal)))
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  await Promise.all(Array.from({ length: 100 }, () => sleep(0, { signal: NEVER })))
  expect(getEventListeners(NEVER, 'abort')).toHaveLength(0)
})

test('a wait of thirty days takes thirty days', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const woken = vi.fn()
  after(30 * DAY_MS, woken, undefined)
  const cancelled = vi.fn()
  const cancel = after(30 * DAY_MS, cancelled, undefined)
  vi.advanceTimersByTime(29 * DAY_MS)
  expect(woken).not.toHaveBeenCalled()
  cancel()
  vi.advanceTimersByTime(DAY_MS)
  expect(woken).toHaveBeenCalledTimes(1)
  expect(cancelled).not.toHaveBeenCalled()
})

test('sleeps on a fake clock end in order when the clock is moved, and not before', async () => {
  const clock = fakeClock()
  const woken: string[] = []
  clock.after(30 * DAY_MS, () => woken.push('later'))
  clock.after(1_000, () => woken.push('sooner'))
  const cancel = clock.after(1_000, () => woken.push('never'))
  cancel()
  clock.advance(999)
  expect(woken).toEqual([])
  clock.advance(30 * DAY_MS)
  expect(woken).toEqual(['sooner', 'later'])
  await sleep(0, { clock })
})
