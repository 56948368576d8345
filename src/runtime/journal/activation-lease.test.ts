import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { activate, cleared } from '../../../test/support/stores/watched-store.ts'
import type { Append, Store } from '../../ports/store.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { type Activation, LEASE_MS, LeaseLost } from './activation.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('a renewal that was under way when the lease was dropped does not count against the next one', async () => {
  const { activation, overdue } = await droppedDuringRenewal()
  await activation.acquire()
  overdue(false)
  await settled()
  expect([activation.holds, activation.token]).toEqual([true, 2])
})

test('a renewal that was under way when the lease was dropped does not count for the next one', async () => {
  const { activation, overdue } = await droppedDuringRenewal()
  vi.advanceTimersByTime(LEASE_MS / 3)
  await activation.acquire()
  overdue(true)
  await settled()
  // Counted from the old renewal, less than a sixth of it would be left by now.
  vi.advanceTimersByTime(LEASE_MS * 0.6)
  expect(activation.covers(2)).toBe(true)
})

/** An activation that dropped its lease while a renewal was under way, and what ends that renewal. */
async function droppedDuringRenewal() {
  const store = memoryStore()
  let answer: (renewed: boolean) => void = () => undefined
  const slow: Store = { ...store, renewLease: () => new Promise((resolve) => (answer = resolve)) }
  const activation = await activate(slow)
  await activation.acquire()
  vi.advanceTimersByTime(LEASE_MS / 3)
  const overdue = answer
  await activation.drop()
  return { activation, overdue }
}

/** Lets everything run that waits for nothing. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

for (const [use, act] of Object.entries({
  renewed: (activation: Activation) => {
    vi.advanceTimersByTime(LEASE_MS - 1)
    return activation.ensureMargin()
  },
  held: (activation: Activation) => activation.write(() => ({ entries: [cleared] })),
})) {
  test(`a lease that a restored store gave to another under the same token is not ${use}`, async () => {
    const { activation, restored } = await restoredUnder()
    await expect(act(activation)).rejects.toThrow(LeaseLost)
    expect(await restored.read('t')).toMatchObject({
      version: 0,
      lease: { holder: 'other', token: 1, until: LEASE_MS },
    })
  })
}

test('a lease that a restored store gave to another under the same token is not dropped', async () => {
  const { activation, restored } = await restoredUnder()
  await activation.report(() => ({ entries: [cleared], drop: true }))
  expect(activation.holds).toBe(false)
  expect((await restored.read('t')).lease).toMatchObject({ holder: 'other', token: 1 })
})

/** An activation whose store was put back to before it took the lease, and where somebody else was first to take it. */
async function restoredUnder() {
  const [lost, restored] = [memoryStore({ clock: { now: () => 0 } }), memoryStore({ clock: { now: () => 0 } })]
  let current = lost
  const store = {
    ...lost,
    append: (append: Append) => current.append(append),
    read: (...given: Parameters<Store['read']>) => current.read(...given),
    renewLease: (...given: Parameters<Store['renewLease']>) => current.renewLease(...given),
  } satisfies Store
  const activation = await activate(store)
  await activation.acquire()
  await restored.append({ threadId: 't', entries: [], lease: { op: 'take', holder: 'other', ttlMs: LEASE_MS } })
  current = restored
  return { activation, restored }
}
