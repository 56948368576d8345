import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Append, Store } from '../../ports/store.ts'
import { ThreadBusy } from '../../protocol/errors/errors.ts'
import { memoryStore } from '../../store/memory/store.ts'
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

/** A store whose clock is set by hand, and what it was asked. */
function watched() {
  const clock = { now: 0 }
  const store = memoryStore({ clock: { now: () => clock.now } })
  const appends: Append[] = []
  let renewals = 0
  return {
    clock,
    appends,
    renewals: () => renewals,
    store: {
      ...store,
      append(append: Append) {
        appends.push(append)
        return store.append(append)
      },
      renewLease(...given: Parameters<Store['renewLease']>) {
        renewals++
        return store.renewLease(...given)
      },
    } satisfies Store,
  }
}

test('a lease that is held is not taken a second time', async () => {
  const { store, appends } = watched()
  const activation = await activate(store)
  expect([activation.holds, activation.token, activation.began]).toEqual([false, undefined, false])
  await activation.acquire()
  await activation.acquire()
  expect([activation.holds, activation.token, activation.began]).toEqual([true, 1, true])
  expect(appends.length).toBe(1)
})

test('a worker whose renewal fails because the lease is gone writes nothing more, and leaves the new lease alone', async () => {
  const { store, clock, appends } = watched()
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
  const { store, appends } = watched()
  const activation = await activate(store)
  expect(await activation.write(() => undefined)).toBeUndefined()
  await activation.report(() => undefined)
  await activation.report(() => ({ entries: [] }))
  expect([appends, activation.holds]).toEqual([[], false])
})

test('a body may start only on the token that its start was written under', async () => {
  const { store, renewals } = watched()
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
  const { store, clock, renewals } = watched()
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
  const { store, clock } = watched()
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

test('an append that brought no lease leaves none', async () => {
  const { store } = watched()
  const without: Store = {
    ...store,
    append: async (append) => ({ ...(await store.append(append)), lease: null }) as never,
  }
  const activation = await activate(without)
  await activation.acquire()
  expect([activation.holds, activation.token, activation.covers(1)]).toEqual([false, undefined, false])
})

test('the time in which a machine slept counts, though its monotonic clock stood still', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setInterval', 'clearInterval'] })
  const { store, clock } = watched()
  const activation = await activate(store)
  await activation.acquire()
  vi.setSystemTime(Date.now() + LEASE_MS)
  expect(activation.covers(1)).toBe(false)
  clock.now = LEASE_MS
  expect(await activation.secure(1)).toBe(false)
})

test('a report that finds the lease elsewhere lets go of it', async () => {
  const { store, clock } = watched()
  const [first, second] = [await activate(store), await activate(store)]
  await first.acquire()
  clock.now = LEASE_MS
  await second.acquire()
  await first.report(() => ({ entries: [{ v: 1, type: 'session.cleared' }], drop: true }))
  expect([first.covers(1), first.holds]).toEqual([false, false])
  expect((await store.read('t')).lease?.token).toBe(2)
})

const cleared = { v: 1, type: 'session.cleared' } as const

test('the lease is dropped in the same append as the last entries', async () => {
  const { store, appends } = watched()
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
  const { store, appends } = watched()
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

test('a write does not lengthen the lease that it holds', async () => {
  const { store } = watched()
  const activation = await activate({ ...store, renewLease: () => Promise.reject(new Error('unreachable')) })
  await activation.acquire()
  vi.advanceTimersByTime(LEASE_MS - 1_000)
  await activation.write(() => ({ entries: [cleared] }))
  expect([activation.token, activation.covers(1)]).toEqual([1, false])
})

test('a conflict over entries is planned again under the same lease, and costs no grant', async () => {
  const { store } = watched()
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
  const { store, appends } = watched()
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
  const { store } = watched()
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
  const { store, appends } = watched()
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
  const { store, clock, appends } = watched()
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

test('a lease of which enough is left is not renewed before a body; without one there is nothing to renew', async () => {
  const { store, renewals } = watched()
  const activation = await activate(store)
  await activation.ensureMargin()
  await activation.acquire()
  await activation.ensureMargin()
  expect(renewals()).toBe(0)
})

test('a worker that was refused for a lost lease stops renewing it', async () => {
  const { store, clock, renewals } = watched()
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
