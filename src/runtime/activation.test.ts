import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Store } from '../ports/store.ts'
import { ThreadBusy } from '../protocol/errors.ts'
import { memoryStore } from '../store/memory/store.ts'
import { Activation, LEASE_MS, LeaseLost } from './activation.ts'
import { newHolder } from './holder.ts'
import { Journal } from './journal.ts'

// The machine's monotonic clock, set by hand; the store has its own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const activate = async (store: Store) => new Activation(await Journal.open(store, 't'), newHolder())

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

test('no body starts, and nothing is written, on a lease that went to somebody else', async () => {
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

test('a lease that was dropped is not renewed any more', async () => {
  let renewals = 0
  const store = memoryStore()
  const activation = await activate({
    ...store,
    renewLease(...args) {
      renewals++
      return store.renewLease(...args)
    },
  })
  await activation.acquire()
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(renewals).toBe(3)
  await activation.drop()
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(renewals).toBe(3)
  expect((await store.read('t')).lease).toBeNull()
})
