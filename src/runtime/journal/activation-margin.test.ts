import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { activate, cleared, watchedStore } from '../../../test/support/stores/watched-store.ts'
import type { Store } from '../../ports/store.ts'
import { ThreadBusy } from '../../protocol/errors/errors.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { LEASE_MS, LeaseLost } from './activation.ts'

// The machine's monotonic clock, set by hand; the store has its own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('a body may start while the lease can be renewed', async () => {
  let now = 0
  const store = memoryStore({ clock: { now: () => now } })
  const activation = await activate(store)
  await activation.acquire()
  now = LEASE_MS - 1_000
  vi.advanceTimersByTime(LEASE_MS - 1_000)
  await activation.ensureMargin()
  expect((await store.read('t')).lease?.until).toBe(now + LEASE_MS)
})

test('no body starts on the last seconds of a lease when the store is out of reach', async () => {
  const store = memoryStore({ clock: { now: () => 0 } })
  const renewLease = () => Promise.reject(new Error('unreachable'))
  const activation = await activate({ ...store, renewLease })
  await activation.acquire()
  vi.advanceTimersByTime(LEASE_MS - 6_000)
  await activation.ensureMargin()
  vi.advanceTimersByTime(2_000)
  await expect(activation.ensureMargin()).rejects.toBeInstanceOf(LeaseLost)
})

test('no body starts, and nothing is written, on a lease that another process took', async () => {
  let now = 0
  const store = memoryStore({ clock: { now: () => now } })
  const [first, second] = [await activate(store), await activate(store)]
  await first.acquire()
  await expect(second.acquire()).rejects.toBeInstanceOf(ThreadBusy)
  now = LEASE_MS
  await second.acquire()
  await expect(first.write(() => ({ entries: [] }))).rejects.toBeInstanceOf(LeaseLost)
  await expect(first.ensureMargin()).rejects.toBeInstanceOf(LeaseLost)
  expect(first.holds).toBe(false)
  expect((await store.read('t')).lease?.token).toBe(2)
})

test('a body may start only on the token that its start was written under', async () => {
  const { store, renewals } = watchedStore()
  const activation = await activate(store)
  await activation.acquire()
  expect([activation.covers(1), activation.covers(2), activation.covers(undefined)]).toEqual([true, false, false])
  expect([await activation.secure(1), await activation.secure(2), await activation.secure(undefined)]).toEqual([
    true,
    false,
    false,
  ])
  await activation.drop()
  expect([activation.covers(1), await activation.secure(1), renewals()]).toEqual([false, false, 0])
  expect([activation.covers(undefined), await activation.secure(undefined)]).toEqual([false, false])
  await activation.acquire()
  expect([activation.covers(1), activation.covers(2)]).toEqual([false, true])
})

test('no body starts in the last seconds of a lease: it is renewed first, once for all callers', async () => {
  const { store, clock, renewals } = watchedStore()
  const activation = await activate(store)
  await activation.acquire()
  vi.useFakeTimers({ toFake: ['performance'], now: 0 })
  vi.advanceTimersByTime(LEASE_MS - 5_000)
  clock.now = LEASE_MS - 5_000
  expect(activation.covers(1)).toBe(true)
  vi.advanceTimersByTime(1)
  expect(activation.covers(1)).toBe(false)
  expect([await activation.secure(2), renewals()]).toEqual([false, 0])
  expect(await Promise.all([activation.secure(1), activation.secure(1)])).toEqual([true, true])
  expect([renewals(), activation.covers(1)]).toEqual([1, true])
})

test('a lease whose acknowledgement came after its own time covers nothing', async () => {
  const { store, clock } = watchedStore()
  const late: Store = {
    ...store,
    async append(append) {
      const outcome = await store.append(append)
      clock.now = LEASE_MS
      vi.advanceTimersByTime(LEASE_MS)
      return outcome
    },
  }
  const activation = await activate(late)
  await activation.acquire()
  expect(activation.covers(1)).toBe(false)
  expect(await activation.secure(1)).toBe(false)
  expect(activation.holds).toBe(false)
})

test('the time in which a machine slept counts, though its monotonic clock stood still', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setInterval', 'clearInterval'] })
  const { store, clock } = watchedStore()
  const activation = await activate(store)
  await activation.acquire()
  vi.setSystemTime(Date.now() + LEASE_MS)
  expect(activation.covers(1)).toBe(false)
  clock.now = LEASE_MS
  expect(await activation.secure(1)).toBe(false)
})

test('a write does not lengthen the lease that it holds', async () => {
  const { store } = watchedStore()
  const activation = await activate({ ...store, renewLease: () => Promise.reject(new Error('unreachable')) })
  await activation.acquire()
  vi.advanceTimersByTime(LEASE_MS - 1_000)
  await activation.write(() => ({ entries: [cleared] }))
  expect([activation.token, activation.covers(1)]).toEqual([1, false])
})

test('a lease of which enough is left is not renewed before a body; without one there is nothing to renew', async () => {
  const { store, renewals } = watchedStore()
  const activation = await activate(store)
  await activation.ensureMargin()
  await activation.acquire()
  await activation.ensureMargin()
  expect(renewals()).toBe(0)
})
