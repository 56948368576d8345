import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConnectionHolder } from '../../../src/store/sqlite/connection/connection.ts'
import { loadDriver } from '../../../src/store/sqlite/connection/load-driver.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { createCommitQueue } from '../../../src/store/sqlite/writing/commit-queue.ts'
import { ShortTurns } from '../../../src/store/sqlite/writing/short-turns.ts'
import { ThreadQueue } from '../../../src/store/sqlite/writing/thread-queue.ts'
import { entry, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { soak } from '../../support/soak.ts'
import { lockFile } from '../../support/stores/lock-file.ts'
import { runChild, startChild } from '../child-process.ts'
import { describeConformance } from '../conformance.ts'
import { checkFile } from './file.ts'
import { sqliteHarness, temporaryFolder } from './harness.ts'

/** Threads run the built package: `npm test` builds it first. */
const BUILT = JSON.stringify(new URL('../../../dist/sqlite.js', import.meta.url))

const freshPath = () => join(temporaryFolder(), 'store.db')

// A thread is started for each case, which takes most of the time.
if (soak.times(0, 1)) describeConformance('the SQLite store with a thread for writes', sqliteHarness({ thread: true }))

describe('a store with a thread for writes', () => {
  it('leaves the event loop free while it writes', async () => {
    const turnsOf = async (thread: boolean) => {
      const store = sqliteStore({ path: freshPath(), thread })
      await store.append({ threadId: 't', entries: [entry(0)] })
      let turns = 0
      let over = false
      const count = () => {
        turns++
        if (!over) setImmediate(count)
      }
      setImmediate(count)
      await store.append({ threadId: 't', entries: Array.from({ length: 20_000 }, (_, n) => entry(n)) })
      over = true
      await store.close()
      return turns
    }
    expect(await turnsOf(false)).toBeLessThan(5)
    expect(await turnsOf(true)).toBeGreaterThan(50)
  })

  it('makes the writes of many threads and tenants, each once, and reads them at once', async () => {
    const store = sqliteStore({ path: freshPath(), thread: true })
    await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        const tenant = store.tenant(`tenant ${writer % 3}`)
        for (let n = 1; n <= 10; n++) {
          const outcome = await tenant.append({ threadId: `t${writer}`, entries: [entry(n)], version: n - 1 })
          expect(outcome).toMatchObject({ ok: true, version: n })
          expect((await tenant.read(`t${writer}`)).version).toBe(n)
        }
      }),
    )
    await store.close()
  })

  it('answers appends of one thread in order', async () => {
    const store = sqliteStore({ path: freshPath(), thread: true })
    const outcomes = await Promise.all(
      Array.from({ length: 3000 }, (_, n) => store.append({ threadId: 't', entries: [entry(n)] })),
    )
    expect(outcomes.map((outcome) => outcome.ok && outcome.version)).toEqual(outcomes.map((_, n) => n + 1))
    await store.close()
  })

  it('answers a group of threads in order, and leaves the event loop free in between', async () => {
    const store = sqliteStore({ path: freshPath(), thread: true })
    await store.append({ threadId: 't', entries: [entry(0)] })
    const order: number[] = []
    let turns = 0
    const answered = Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        await store.append({ threadId: `t${n}`, entries: [entry(n)] })
        order.push(n)
        // What its thread goes on with. At once, all of them would take 200 ms.
        for (const end = performance.now() + 1; performance.now() < end; );
      }),
    )
    while (order.length === 0) await new Promise((resolve) => setImmediate(resolve))
    for (; order.length < 200; turns++) await new Promise((resolve) => setImmediate(resolve))
    await answered
    expect(order).toEqual(Array.from({ length: 200 }, (_, n) => n))
    expect(turns).toBeGreaterThan(100)
    await store.close()
  })

  it('rejects a write with the error that it has without a thread, and stores its neighbours', async () => {
    const store = sqliteStore({ path: freshPath(), thread: true })
    const row = { ...requestRow(1), tool: { not: 'text' } as unknown as string }
    const noData = { ...requestRow(2), tool: (() => 'text') as unknown as string }
    const outcomes = await Promise.allSettled([
      store.append({ threadId: 't', entries: [entry(1)] }),
      store.append({ threadId: 't', entries: [entry('no')], requests: [{ op: 'open', entry: 0, row }] }),
      store.append({ threadId: 't', entries: [entry(2)] }),
    ])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { ok: true, version: 1 } },
      { status: 'rejected', reason: { name: 'InputInvalid' } },
      { status: 'fulfilled', value: { ok: true, version: 2 } },
    ])
    const unsent = store.append({
      threadId: 't',
      entries: [entry('no')],
      requests: [{ op: 'open', entry: 0, row: noData }],
    })
    await expect(unsent).rejects.toMatchObject({ name: 'InputInvalid' })
    expect((await store.read('t')).entries.map(({ body }) => body)).toEqual([entry(1), entry(2)])
    await store.close()
  })

  it('waits for a file that others have locked as long as it was told, and close waits for what is queued', async () => {
    const path = freshPath()
    const store = sqliteStore({ path, thread: true, busyTimeoutMs: 500 })
    await store.append({ threadId: 't', entries: [entry(0)] })
    const locked = await lockFile(path)
    await expect(store.append({ threadId: 't', entries: [entry('no')] })).rejects.toMatchObject({ name: 'StoreBusy' })
    await locked.release()
    const queued = store.append({ threadId: 't', entries: [entry(1)] })
    await store.close()
    expect(await queued).toMatchObject({ ok: true, version: 2 })
    await expect(store.append({ threadId: 't', entries: [entry('no')] })).rejects.toMatchObject({ name: 'StoreClosed' })
  })

  it('counts the time for which a write was queued behind another that waited for the same lock', async () => {
    const path = freshPath()
    const busyTimeoutMs = 2000
    const store = sqliteStore({ path, thread: true, busyTimeoutMs })
    await store.append({ threadId: 't', entries: [entry(0)] })
    const locked = await lockFile(path)
    const busy = async () => {
      await expect(store.append({ threadId: 't', entries: [entry('no')] })).rejects.toMatchObject({ name: 'StoreBusy' })
      return performance.now()
    }
    const first = busy()
    // The first is with the thread then.
    await new Promise((resolve) => setImmediate(resolve))
    const [one, other] = await Promise.all([first, busy()])
    expect(other - one).toBeLessThan(busyTimeoutMs / 2)
    await locked.release()
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 2 })
    await store.close()
  })

  it('says why a file cannot be opened', async () => {
    const folder = temporaryFolder()
    const store = sqliteStore({ path: folder, thread: true })
    await expect(store.append({ threadId: 't', entries: [entry(1)] })).rejects.toMatchObject({ name: 'StoreFailed' })
    await store.close()
  })

  it('refuses writes after its thread has ended', async () => {
    const path = freshPath()
    const holder = createConnectionHolder({ path, durability: 'power', driver: undefined, onWarning() {} })
    const trust = { store: path, verify: 'chain', auditKeys: [] } as const
    const writing = { salts: { next: () => Buffer.alloc(16) }, trust, now: () => 1 }
    const here = createCommitQueue({ holder, busyTimeoutMs: 1000, crashPoint: undefined, writing })
    // What cannot be sent to a thread.
    const data = { path, durability: 'power', busyTimeoutMs: 1000, trust, more: () => {} } as const
    const queue = new ThreadQueue({ data, holder, here, clock: undefined, turns: new ShortTurns() })
    for (let n = 0; n < 2; n++)
      await expect(queue.push({ op: 'prune', outboxMs: 1 })).rejects.toMatchObject({
        code: 'store_failed',
        message: expect.stringMatching(/^The thread that writes to .* has ended/),
      })
    await queue.close()
    holder.close()
  })

  it('loses nothing that was acknowledged when its process is killed', async () => {
    const path = freshPath()
    const child = startChild('writer', { path, name: 'a', count: 100_000, thread: true })
    await child.firstLine
    await new Promise((resolve) => setTimeout(resolve, 200))
    child.process.kill('SIGKILL')
    const { lines } = await child.done
    const store = sqliteStore({ path })
    const { version } = await store.read('a')
    expect([3 * lines.length, 3 * lines.length + 3]).toContain(version)
    await store.close()
    await checkFile(path, ['a'])
  })

  it('lets its process end by itself with its own exit code, and what is being written then is written to its end', async () => {
    const entries = 40_000
    const endings = await Promise.all(
      [20, 60, 120, 250, 500, 1000, 2000].map(async (afterMs) => {
        const path = freshPath()
        const { code, errors, lines } = await runChild('leaver', { path, entries, afterMs, code: 7 })
        const store = sqliteStore({ path })
        const { version } = await store.read('t')
        await store.close()
        expect({ code, errors }).toEqual({ code: 7, errors: '' })
        expect([1, entries + 1]).toContain(version)
        return { answered: lines[0]?.answered, isWritten: version > 1 }
      }),
    )
    // Node ends threads wherever they are: then nothing of it would be stored, and libsql may abort the process.
    expect(endings).toContainEqual({ answered: false, isWritten: true })
  })

  it.each(['exits', 'throws'])(
    'writes to its end what is being written when its process ends, also if an exit handler %s',
    async (handler) => {
      const entries = 40_000
      const endings = await Promise.all(
        [20, 60, 120, 250, 500].map(async (afterMs) => {
          const path = freshPath()
          const { code, lines } = await runChild('leaver', { path, entries, afterMs, code: 7, handler })
          const store = sqliteStore({ path })
          const { version } = await store.read('t')
          await store.close()
          expect(code).toBe(7)
          return { answered: lines[0]?.answered, isWritten: version > 1 }
        }),
      )
      expect(endings).toContainEqual({ answered: false, isWritten: true })
    },
  )

  it('shares its file with other processes, and does not keep its own from ending', async () => {
    const path = freshPath()
    const run = (name: string) =>
      runChild('writer', { path, name, count: 30, mode: 'shared', thread: true, close: name !== 'a' })
    const children = await Promise.all(['a', 'b', 'c'].map(run))
    expect(children.map(({ code, errors }) => ({ code, errors }))).toEqual(Array(3).fill({ code: 0, errors: '' }))
    const versions = children.flatMap(({ lines }) => lines.map(({ version }) => version as number))
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, n) => 3 * (n + 1)))
    await checkFile(path, ['shared'])
  })

  it('opens the file with the library of the program, whichever it would find itself', async () => {
    const path = freshPath()
    const seen = `${path}.cjs`
    writeFileSync(
      seen,
      "const { isMainThread, workerData } = require('node:worker_threads'); if (!isMainThread) console.log(workerData.driver)",
    )
    const program = `
      import { sqliteStore } from ${BUILT}
      const store = sqliteStore({ path: ${JSON.stringify(path)}, thread: true })
      await store.append({ threadId: 't', entries: [${JSON.stringify(entry(1))}] })
      await store.close()`
    const file = `${path}.mjs`
    writeFileSync(file, program)
    const { stdout, stderr } = spawnSync(process.execPath, ['--require', seen, file])
    expect(`${stdout}`.trim(), `${stderr}`).toBe(loadDriver().name)
  })

  it.each([
    ['with -e', (program: string) => spawnSync(process.execPath, ['--input-type=module', '-e', program])],
    ['on standard input', (input: string) => spawnSync(process.execPath, ['--input-type', 'module'], { input })],
  ])('writes in a program that is given as text %s', async (_, start) => {
    const path = freshPath()
    const { status, stdout, stderr } = start(`
      import { sqliteStore } from ${BUILT}
      const store = sqliteStore({ path: ${JSON.stringify(path)}, thread: true })
      await store.append({ threadId: 't', entries: [${JSON.stringify(entry(1))}] })
      console.log((await store.read('t')).version)
      await store.close()
    `)
    expect({ status, out: `${stdout}`.trim() }, `${stderr}`).toEqual({ status: 0, out: '1' })
  })
})
