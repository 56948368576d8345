import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { entry, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { lockFile } from '../../support/stores/lock-file.ts'
import { temporaryFolder } from './harness.ts'

const freshPath = () => join(temporaryFolder(), 'store.db')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A store that counts its commits. */
function countingStore(): { store: Store; commits: () => number } {
  let count = 0
  const store = sqliteStore({
    path: freshPath(),
    crashPoint: (name) => {
      if (name === 'store.append.committed') count++
    },
  })
  return { store, commits: () => count }
}

describe('group commit', () => {
  it('writes appends of one tick, to any threads and tenants, with one commit', async () => {
    const { store, commits } = countingStore()
    await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        store.tenant(`tenant ${n % 3}`).append({ threadId: `t${n % 10}`, entries: [entry(n)] }),
      ),
    )
    expect(commits()).toBe(1)
    await store.close()
  })

  it('collects 64 writers that go on at their own pace', async () => {
    const { store, commits } = countingStore()
    await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          await store.append({ threadId: `t${writer}`, entries: [entry(n)] })
          for (let turns = writer % 7; turns > 0; turns--) await Promise.resolve()
        }
      }),
    )
    expect(commits()).toBeLessThan(30)
    for (const writer of [0, 31, 63]) expect((await store.read(`t${writer}`)).version).toBe(20)
    await store.close()
  })

  it('acknowledges each append of a lone writer by its own commit', async () => {
    const { store, commits } = countingStore()
    for (let n = 1; n <= 5; n++) {
      await store.append({ threadId: 't', entries: [entry(n)] })
      expect(commits()).toBe(n)
    }
    await store.close()
  })

  it('splits more appends than a transaction should hold, in order', async () => {
    const { store, commits } = countingStore()
    const outcomes = await Promise.all(
      Array.from({ length: 3000 }, (_, n) => store.append({ threadId: 't', entries: [entry(n)] })),
    )
    expect(outcomes.map((outcome) => outcome.ok && outcome.version)).toEqual(outcomes.map((_, n) => n + 1))
    expect(commits()).toBe(3)
    await store.close()
  })

  it('rejects alone an append that SQLite cannot take, and stores its neighbours', async () => {
    const store = sqliteStore({ path: freshPath() })
    const row = { ...requestRow(1), tool: { not: 'text' } as unknown as string }
    const [before, bad, after] = await Promise.allSettled([
      store.append({ threadId: 't', entries: [entry(1)] }),
      store.append({ threadId: 't', entries: [entry('no')], requests: [{ op: 'open', entry: 0, row }] }),
      store.append({ threadId: 't', entries: [entry(2)] }),
    ])
    expect(before).toMatchObject({ status: 'fulfilled', value: { ok: true, version: 1 } })
    expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'InputInvalid' } })
    expect(after).toMatchObject({ status: 'fulfilled', value: { ok: true, version: 2 } })
    expect((await store.read('t')).entries.map(({ body }) => body)).toEqual([entry(1), entry(2)])
    await store.close()
  })
})

describe('a transaction that breaks off', () => {
  it.each([
    ['store.append.begun', 1],
    ['store.append.written', 1],
    ['store.append.committed', 3],
  ])('at %s rejects what it carried and leaves version %i', async (point, version) => {
    const path = freshPath()
    let broken = false
    const store = sqliteStore({
      path,
      crashPoint: (name) => {
        if (broken && name === point) throw new Error('broken off')
      },
    })
    await store.append({ threadId: 't', entries: [entry(1)] })
    broken = true
    const outcomes = await Promise.allSettled([
      store.append({ threadId: 't', entries: [entry(2)] }),
      store.append({ threadId: 't', entries: [entry(3)], requests: [{ op: 'open', entry: 0, row: requestRow(1) }] }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect((await store.read('t')).version).toBe(version)
    expect((await store.getRequest(requestId(1))) !== undefined).toBe(version === 3)
    const next = await store.append({ threadId: 't', entries: [entry('next')], version })
    expect(next).toMatchObject({ ok: true, version: version + 1 })
    await store.close()
  })
})

describe('a thread whose first append broke off', () => {
  it('is not mistaken for the thread that takes its place in the file', async () => {
    let broken = true
    const store = sqliteStore({
      path: freshPath(),
      crashPoint: (name) => {
        if (broken && name === 'store.append.written') throw new Error('broken off')
      },
    })
    await expect(store.append({ threadId: 'x', entries: [entry('lost')] })).rejects.toThrow('broken off')
    broken = false
    await store.tenant('other').append({ threadId: 'y', entries: [entry('y')] })
    expect(await store.append({ threadId: 'x', entries: [entry('x')] })).toMatchObject({ ok: true, version: 1 })
    expect((await store.read('x')).entries.map(({ body }) => body)).toEqual([entry('x')])
    expect((await store.tenant('other').read('y')).entries.map(({ body }) => body)).toEqual([entry('y')])
    await store.close()
  })
})

describe('a file that others have locked', () => {
  it('is busy for writers after the time that they were given, while readers and the loop go on', async () => {
    const path = freshPath()
    const store = sqliteStore({ path, busyTimeoutMs: 1000 })
    await store.append({ threadId: 't', entries: [entry(1)] })
    const locked = await lockFile(path)
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const start = performance.now()
    const outcomes = await Promise.allSettled([
      store.append({ threadId: 't', entries: [entry('no')] }),
      store.renewLease('t', { holder: 'a', token: 1, ttlMs: 1 }),
      store.read('t').then(({ version }) => version),
    ])
    clearInterval(ticking)
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { name: 'StoreBusy', retryable: true } },
      { status: 'rejected', reason: { name: 'StoreBusy' } },
      { status: 'fulfilled', value: 1 },
    ])
    expect(performance.now() - start).toBeGreaterThanOrEqual(1000)
    expect(ticks).toBeGreaterThan(10)
    await locked.release()
    expect(await store.append({ threadId: 't', entries: [entry(2)] })).toMatchObject({ ok: true, version: 2 })
    await store.close()
  })

  it('is waited for, and appends keep their order', async () => {
    const path = freshPath()
    const store = sqliteStore({ path })
    await store.append({ threadId: 't', entries: [entry(0)] })
    const locked = await lockFile(path)
    const first = store.append({ threadId: 't', entries: [entry(1)] })
    await pause(60)
    const second = store.append({ threadId: 't', entries: [entry(2)] })
    const released = pause(60).then(locked.release)
    expect(await first).toMatchObject({ ok: true, version: 2 })
    expect(await second).toMatchObject({ ok: true, version: 3 })
    await released
    await store.close()
  })

  it('is busy for a store that is only being opened, which can be opened later', async () => {
    const path = freshPath()
    const locked = await lockFile(path, 'BEGIN EXCLUSIVE')
    const store = sqliteStore({ path, busyTimeoutMs: 150 })
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreBusy' })
    await expect(store.append({ threadId: 't', entries: [entry(1)] })).rejects.toMatchObject({ name: 'StoreBusy' })
    await locked.release()
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
  })

  it('is waited for by readers when it is being opened', async () => {
    const path = freshPath()
    const locked = await lockFile(path, 'BEGIN EXCLUSIVE')
    const store = sqliteStore({ path })
    const released = pause(60).then(locked.release)
    expect((await store.read('t')).version).toBe(0)
    await released
    await store.close()
  })

  it('is waited for by close, as long as appends are queued', async () => {
    const path = freshPath()
    const store = sqliteStore({ path })
    await store.append({ threadId: 't', entries: [entry(0)] })
    const locked = await lockFile(path)
    const queued = store.append({ threadId: 't', entries: [entry(1)] })
    const released = pause(60).then(locked.release)
    await store.close()
    expect(await queued).toMatchObject({ ok: true, version: 2 })
    await released
  })
})
