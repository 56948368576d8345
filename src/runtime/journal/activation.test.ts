import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { activate, cleared, watchedStore } from '../../../test/support/stores/watched-store.ts'
import type { Append, Store } from '../../ports/store.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { LEASE_MS, LeaseLost } from './activation.ts'
import { newHolder } from './holder.ts'

// The machine's monotonic clock, set by hand; the store has its own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

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

test('a lease that is held is not taken a second time', async () => {
  const { store, appends } = watchedStore()
  const activation = await activate(store)
  expect([activation.holds, activation.token, activation.began]).toEqual([false, undefined, false])
  await activation.acquire()
  await activation.acquire()
  expect([activation.holds, activation.token, activation.began]).toEqual([true, 1, true])
  expect(appends.length).toBe(1)
})

test('a worker whose renewal fails because the lease is gone writes nothing more, and leaves the new lease alone', async () => {
  const { store, clock, appends } = watchedStore()
  const [first, second] = [await activate(store), await activate(store)]
  await first.acquire()
  clock.now = LEASE_MS
  await second.acquire()
  appends.length = 0
  await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
  expect([first.holds, first.token]).toEqual([false, undefined])
  await expect(first.write(() => ({ entries: [] }))).rejects.toBeInstanceOf(LeaseLost)
  await expect(first.acquire()).rejects.toBeInstanceOf(LeaseLost)
  await first.drop()
  expect(appends).toEqual([])
  expect((await store.read('t')).lease?.token).toBe(second.token)
})

test('a plan that is void by now writes nothing', async () => {
  const { store, appends } = watchedStore()
  const activation = await activate(store)
  expect(await activation.write(() => undefined)).toBeUndefined()
  await activation.report(() => undefined)
  await activation.report(() => ({ entries: [] }))
  expect([appends, activation.holds]).toEqual([[], false])
})

test('an append that brought no lease leaves none', async () => {
  const { store } = watchedStore()
  const without: Store = {
    ...store,
    append: async (append) => ({ ...(await store.append(append)), lease: null }) as never,
  }
  const activation = await activate(without)
  await activation.acquire()
  expect([activation.holds, activation.token, activation.covers(1)]).toEqual([false, undefined, false])
})

test('a report that finds the lease elsewhere lets go of it', async () => {
  const { store, clock } = watchedStore()
  const [first, second] = [await activate(store), await activate(store)]
  await first.acquire()
  clock.now = LEASE_MS
  await second.acquire()
  await first.report(() => ({ entries: [{ v: 1, type: 'session.cleared' }], drop: true }))
  expect([first.covers(1), first.holds]).toEqual([false, false])
  expect((await store.read('t')).lease?.token).toBe(2)
})

test('the lease is dropped in the same append as the last entries', async () => {
  const { store, appends } = watchedStore()
  const activation = await activate(store)
  await activation.write(() => ({ entries: [cleared], drop: true }))
  expect([activation.holds, vi.getTimerCount()]).toEqual([false, 0])
  await activation.acquire()
  await activation.write(() => ({ entries: [cleared] }))
  expect([activation.token, vi.getTimerCount()]).toEqual([2, 1])
  await activation.write(() => ({ entries: [cleared], drop: true }))
  expect([activation.holds, activation.covers(2), vi.getTimerCount()]).toEqual([false, false, 0])
  const take = { op: 'take', holder: expect.any(String), ttlMs: LEASE_MS }
  expect(appends.map(({ lease }) => lease)).toStrictEqual([
    { ...take, thenDrop: true },
    take,
    { op: 'hold', holder: take.holder, token: 2 },
    { op: 'hold', holder: take.holder, token: 2, thenDrop: true },
  ])
  expect((await store.read('t')).lease).toBeNull()
})

test('a report keeps the lease unless it is the last, and needs none', async () => {
  const { store, appends } = watchedStore()
  const activation = await activate(store)
  await activation.report(() => ({ entries: [cleared], drop: true }))
  await activation.acquire()
  await activation.report(() => ({ entries: [cleared] }))
  expect([activation.token, activation.covers(1)]).toEqual([1, true])
  await activation.report(() => ({ entries: [cleared], drop: true }))
  expect([activation.holds, vi.getTimerCount()]).toEqual([false, 0])
  const [first, , second, third] = appends.map(({ entries, lease }) => ({ entries: entries.length, lease }))
  expect([first, second, third]).toEqual([
    { entries: 1, lease: undefined },
    { entries: 1, lease: undefined },
    { entries: 1, lease: { op: 'drop', holder: expect.any(String), token: 1 } },
  ])
  expect((await store.read('t')).lease).toBeNull()
})

test('a conflict over entries is planned again under the same lease, and costs no grant', async () => {
  const { store } = watchedStore()
  const activation = await activate(store)
  await activation.acquire()
  await store.append({ threadId: 't', entries: [JSON.stringify(cleared)] })
  const [versions, lose] = [[] as number[], vi.fn()]
  const plan = ({ version }: { version: number }) => {
    versions.push(version)
    return { entries: [cleared] }
  }
  await activation.write(plan, { lose, took: vi.fn() })
  expect(lose).not.toHaveBeenCalled()
  expect([versions, activation.token, activation.covers(1)]).toEqual([[0, 1], 1, true])
})

test('the lease of a process that is gone is taken over, by its token', async () => {
  const { store, appends } = watchedStore()
  const [host] = newHolder().split('|')
  const gone = `${host}|999999999|1|x`
  await store.append({ threadId: 't', entries: [], lease: { op: 'take', holder: gone, ttlMs: LEASE_MS } })
  const activation = await activate(store)
  await activation.acquire()
  expect(activation.token).toBe(2)
  const take = { op: 'take', holder: expect.any(String), ttlMs: LEASE_MS }
  expect(appends.slice(1).map(({ lease }) => lease)).toStrictEqual([
    take,
    { ...take, over: { holder: gone, token: 1 } },
  ])
})

test('a lease whose acknowledgement was lost is taken again by the same worker', async () => {
  const { store } = watchedStore()
  const lost = vi.fn(async (append: Append) => {
    await store.append(append)
    throw new Error('reset')
  })
  const activation = await activate({
    ...store,
    append: (append) => (lost.mock.calls.length === 0 ? lost(append) : store.append(append)),
  })
  await expect(activation.acquire()).rejects.toThrow('reset')
  expect(activation.holds).toBe(false)
  await activation.acquire()
  expect([activation.token, activation.covers(2)]).toEqual([2, true])
})

test('a lease that ran out while it was refused is asked for again', async () => {
  const { store, appends } = watchedStore()
  let refused = false
  const activation = await activate({
    ...store,
    append: async (append) => {
      if (refused) return store.append(append)
      refused = true
      return { ok: false, conflict: { kind: 'lease', lease: null }, now: 0 }
    },
  })
  await activation.acquire()
  expect([activation.token, appends.length]).toEqual([1, 1])
})

test('a renewal that fails while there is time left changes nothing; one that fails after it lets the lease go', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setInterval', 'clearInterval'] })
  const { store, clock, appends } = watchedStore()
  const activation = await activate({ ...store, renewLease: () => Promise.reject(new Error('unreachable')) })
  await activation.acquire()
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1)
  expect([activation.holds, activation.token]).toEqual([true, 1])
  clock.now = LEASE_MS
  await vi.advanceTimersByTimeAsync(1)
  expect([activation.holds, vi.getTimerCount()]).toEqual([false, 0])
  await expect(activation.write(() => ({ entries: [cleared] }))).rejects.toBeInstanceOf(LeaseLost)
  expect(appends.length).toBe(1)
})

test('a worker that was refused for a lost lease stops renewing it', async () => {
  const { store, clock, renewals } = watchedStore()
  const [first, second] = [await activate(store), await activate(store)]
  await first.acquire()
  clock.now = LEASE_MS
  await second.acquire()
  await expect(first.write(() => ({ entries: [cleared] }))).rejects.toBeInstanceOf(LeaseLost)
  expect([first.token, vi.getTimerCount()]).toEqual([undefined, 1])
  await second.drop()
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(renewals()).toBe(0)
})
