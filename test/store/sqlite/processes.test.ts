import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { runChild, startChild } from '../child-process.ts'
import { checkFile } from './file.ts'
import { temporaryFolder } from './harness.ts'

const freshPath = () => join(temporaryFolder(), 'new', 'store.db')

describe('several processes on one SQLite store', () => {
  it('make the file together and lose nothing of each other', async () => {
    const path = freshPath()
    const names = ['a', 'b', 'c', 'd']
    const children = await Promise.all(names.map((name) => runChild('writer', { path, name, count: 40 })))
    for (const { code, errors, lines } of children) {
      expect(errors).toBe('')
      expect(code).toBe(0)
      expect(lines).toHaveLength(40)
    }
    const store = sqliteStore({ path })
    for (const name of names) {
      const { version, entries } = await store.read(name)
      expect(version).toBe(120)
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, n) => n + 1))
    }
    await store.close()
    await checkFile(path, names)
  })

  it('number the entries of one thread without gaps, each append in one piece', async () => {
    const path = freshPath()
    const children = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        runChild('writer', { path, name, count: 40, mode: 'shared', durability: 'process' }),
      ),
    )
    expect(children.map(({ code, errors }) => ({ code, errors }))).toEqual(Array(3).fill({ code: 0, errors: '' }))
    const versions = children.flatMap(({ lines }) => lines.map(({ version }) => version as number))
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, n) => 3 * (n + 1)))
    await checkFile(path, ['shared'])
  })

  it('read one thread while others write it: always its beginning, in order', async () => {
    const path = freshPath()
    const readers = [1, 2].map(() => startChild('reader', { path, threadId: 'shared', until: 540 }))
    await Promise.all(readers.map(({ firstLine }) => firstLine))
    const writers = ['a', 'b', 'c'].map((name) => runChild('writer', { path, name, count: 60, mode: 'shared' }))
    for (const child of [...writers, ...readers.map(({ done }) => done)]) {
      expect(await child).toMatchObject({ code: 0, errors: '' })
    }
    const reports = await Promise.all(readers.map(async ({ done }) => (await done).lines.at(-1)))
    expect(reports).toMatchObject(Array(2).fill({ wrong: null, version: 540 }))
    // Otherwise they came too late to see it grow.
    expect(Math.max(...reports.map((report) => report?.grown as number))).toBeGreaterThan(1)
  })

  it('append at a version only when nobody came between', async () => {
    const path = freshPath()
    const children = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        runChild('writer', { path, name, count: 15, mode: 'counter', durability: 'process' }),
      ),
    )
    expect(children.map(({ code, errors }) => ({ code, errors }))).toEqual(Array(3).fill({ code: 0, errors: '' }))
    const versions = children.flatMap(({ lines }) => lines.map(({ version }) => version as number))
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, n) => 3 * (n + 1)))
    await checkFile(path, ['counter'])
  })

  it('wake each other’s waiters, and stay alive while they wait', async () => {
    const path = freshPath()
    const store = sqliteStore({ path })
    await store.append({ threadId: 't', entries: [entry(1)] })
    const child = startChild('waiter', { path, threadId: 't', after: 1 })
    await child.firstLine
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(child.process.exitCode).toBe(null)
    await store.append({ threadId: 't', entries: [entry(2)] })
    expect(await child.done).toMatchObject({ code: 0, errors: '', lines: [{ seen: 1 }, { seen: 2 }] })
    await store.close()
  })

  it('end by themselves when they forget to close the store, and lose nothing', async () => {
    const path = freshPath()
    const { code, errors, lines } = await runChild('writer', { path, name: 'a', count: 5, close: false })
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(lines).toHaveLength(5)
    await checkFile(path, ['a'])
  })
})

describe('a process that is killed', () => {
  const points = ['store.append.begun', 'store.append.written', 'store.append.committed']
  for (const point of points) {
    for (const nth of [1, 2, 20]) {
      const committed = point === 'store.append.committed'
      it(`at ${point} for time ${nth} leaves ${committed ? 'that append' : 'nothing of that append'}, and all before`, async () => {
        const path = freshPath()
        const { signal, lines } = await runChild('writer', { path, name: 'a', count: 30, crash: { point, nth } })
        expect(signal).toBe('SIGKILL')
        expect(lines).toHaveLength(nth - 1)
        const stored = committed ? nth : nth - 1
        const store = sqliteStore({ path })
        expect((await store.read('a')).version).toBe(3 * stored)
        expect((await store.findRequests({ agent: 'a' })).requests).toHaveLength(stored)
        const next = await store.append({ threadId: 'a', entries: [entry('next')], version: 3 * stored })
        expect(next).toMatchObject({ ok: true, version: 3 * stored + 1 })
        await store.close()
        await checkFile(path, ['a'])
      })
    }
  }

  it('while others write disturbs none of them', async () => {
    const path = freshPath()
    const [killed, ...others] = await Promise.all([
      runChild('writer', {
        path,
        name: 'a',
        count: 30,
        mode: 'shared',
        crash: { point: 'store.append.written', nth: 7 },
      }),
      runChild('writer', { path, name: 'b', count: 30, mode: 'shared' }),
      runChild('writer', { path, name: 'c', count: 30, mode: 'shared' }),
    ])
    expect(killed).toMatchObject({ signal: 'SIGKILL' })
    expect(killed.lines).toHaveLength(6)
    expect(others.map(({ code, errors }) => ({ code, errors }))).toEqual(Array(2).fill({ code: 0, errors: '' }))
    const store = sqliteStore({ path })
    expect((await store.read('shared')).version).toBe(3 * (6 + 30 + 30))
    await store.close()
    await checkFile(path, ['shared'])
  })
})

describe('a disk that is full', () => {
  it('makes appends fail, keeps what was acknowledged, and nothing else', async () => {
    const path = freshPath()
    const { code, errors, lines } = await runChild('full-disk', { path }, 'ulimit -f 1000')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    const report = lines[0] as { acknowledged: number; error: { code: string }; version: number }
    expect(report.acknowledged).toBeGreaterThan(1)
    expect(report.error.code).toBe('store_failed')
    expect(report.version).toBe(2 * report.acknowledged)
    const store = sqliteStore({ path })
    expect((await store.read('t')).version).toBe(2 * report.acknowledged)
    expect(await store.append({ threadId: 't', entries: [entry('next')] })).toMatchObject({ ok: true })
    await store.close()
    await checkFile(path, ['t'])
  })
})
