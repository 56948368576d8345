import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { entry, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { onFile } from '../../support/stores/open-file.ts'
import { runChild } from '../child-process.ts'
import { temporaryFolder } from './harness.ts'

/** The bytes of a store with some content, made by a process that has let go of it. */
let sound: Buffer
beforeAll(async () => {
  const path = join(temporaryFolder(), 'sound.db')
  expect(await runChild('writer', { path, name: 'a', count: 200 })).toMatchObject({ code: 0, errors: '' })
  expect(existsSync(`${path}-wal`) && readFileSync(`${path}-wal`).length > 0).toBe(false)
  sound = readFileSync(path)
})

function fileOf(bytes: Uint8Array | string): string {
  const path = join(temporaryFolder(), 'store.db')
  writeFileSync(path, bytes)
  return path
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

/** Insists that every way in is refused like this, and that no file is changed. */
async function expectRefused(path: string, expected: { name: string; message: RegExp }): Promise<void> {
  const files = () => readdirSync(join(path, '..')).filter((name) => !/-(wal|shm)$/.test(name))
  const before = { files: files(), bytes: readFileSync(path) }
  const store = sqliteStore({ path, busyTimeoutMs: 200 })
  for (const call of [
    () => store.read('a'),
    () => store.append({ threadId: 'a', entries: [entry('no')] }),
    () => store.findRequests({}),
    () => store.changed('a', { after: 0, signal: new AbortController().signal }),
  ]) {
    const error = await call().then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ name: expected.name })
    expect(error?.message).toMatch(expected.message)
    expect(error?.message).toContain(path)
  }
  await store.close()
  expect({ files: files(), bytes: readFileSync(path) }).toEqual(before)
}

describe('opening a file that is not a usable store', () => {
  it('refuses a file that is no database, and leaves it', async () => {
    await expectRefused(fileOf('Dear diary, '.repeat(1000)), { name: 'StoreCorrupt', message: /not a database/ })
    for (const text of ['x', 'short']) await expectRefused(fileOf(text), { name: 'StoreCorrupt', message: /too short/ })
  })

  it('refuses a truncated store, and leaves it', async () => {
    for (const length of [50, 512, 4096, 8192, Math.floor(sound.length / 2), sound.length - 4096]) {
      await expectRefused(fileOf(sound.subarray(0, length)), {
        name: 'StoreCorrupt',
        message: /malformed|not a database|too short/,
      })
    }
  })

  it('refuses a store with a damaged first page, and leaves it', async () => {
    await expectRefused(fileOf(changed(sound, (copy) => copy.fill(0, 0, 100))), {
      name: 'StoreCorrupt',
      message: /not a database/,
    })
    await expectRefused(fileOf(changed(sound, (copy) => copy.fill(0x5a, 100, 4096))), {
      name: 'StoreCorrupt',
      message: /malformed/,
    })
  })

  it('says so when a page in the middle turns out to be damaged', async () => {
    const path = fileOf(changed(sound, (copy) => copy.fill(0x5a, 3 * 4096)))
    const store = sqliteStore({ path })
    await expect(store.readChain('a')).rejects.toMatchObject({ name: 'StoreCorrupt' })
    await store.close()
  })

  it('refuses a database of another application, and leaves it', async () => {
    const message = /another application/
    for (const sql of [
      'CREATE TABLE notes(text)',
      'CREATE TABLE notes(text); PRAGMA application_id = 77',
      'CREATE TABLE notes(text); PRAGMA application_id = 77; PRAGMA user_version = 1',
      'PRAGMA application_id = 77; PRAGMA user_version = 1',
      'CREATE TABLE notes(text); PRAGMA journal_mode = WAL; INSERT INTO notes VALUES (1)',
    ]) {
      const path = join(temporaryFolder(), 'theirs.db')
      onFile(path, (db) => db.exec(sql))
      await expectRefused(path, { name: 'StoreCorrupt', message })
    }
  })

  it('refuses a store of a newer version, and leaves it', async () => {
    const bytes = changed(sound, (copy) => copy.writeInt32BE(11, 60))
    await expectRefused(fileOf(bytes), { name: 'StoreNewer', message: /schema version 11/ })
  })

  it('says what is wrong with a path that cannot be a file', async () => {
    const folder = temporaryFolder()
    const store = sqliteStore({ path: folder })
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreFailed' })
    const below = sqliteStore({ path: join(fileOf('x'), 'store.db') })
    await expect(below.append({ threadId: 't', entries: [] })).rejects.toMatchObject({ name: 'StoreFailed' })
    expect(() => sqliteStore({ path: '' })).toThrow(expect.objectContaining({ name: 'InputInvalid' }))
    expect(() => sqliteStore({ path: ':memory:' })).toThrow(/memoryStore/)
  })

  it.runIf(existsSync('/proc/self'))('says at once that a folder cannot be made', async () => {
    // In a child with a limit of CPU time: where it does not return, it blocks its process.
    const input = { path: '/proc/holdpoint/data/store.db', name: 'a', count: 1 }
    const { code, errors } = await runChild('writer', input, 'ulimit -t 20')
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining("mkdir '/proc/holdpoint'") })
    expect(errors).toContain('StoreFailed')
  })

  it('tries again at the next call, so that a mended file is used', async () => {
    const path = fileOf('not yet')
    const store = sqliteStore({ path })
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreCorrupt' })
    writeFileSync(path, '')
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
  })
})

describe('opening a usable file', () => {
  it('makes the file and the folders above it, but only when it is used', async () => {
    const folder = join(temporaryFolder(), 'a', 'b')
    const store = sqliteStore({ path: join(folder, 'store.db') })
    expect(existsSync(folder)).toBe(false)
    expect((await store.read('t')).version).toBe(0)
    expect(existsSync(join(folder, 'store.db'))).toBe(true)
    await store.close()
  })

  it('takes an empty file as a new store', async () => {
    const store = sqliteStore({ path: fileOf('') })
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
  })

  it.each(['a b', '100%', 'what?', '#1', "o'hara", 'ünïcödé ☃', 'file:x', '%41', 'a&mode=memory'])(
    'takes a path with unusual characters: %s',
    async (name) => {
      const path = join(temporaryFolder(), name, name)
      const first = sqliteStore({ path })
      await first.append({ threadId: 't', entries: [entry(1)] })
      await first.close()
      const second = sqliteStore({ path })
      expect((await second.read('t')).version).toBe(1)
      await second.close()
      expect(readdirSync(join(path, '..')).filter((file) => !file.startsWith(name))).toEqual([])

      const theirs = join(temporaryFolder(), name)
      onFile(theirs, (db) => db.exec('CREATE TABLE notes(text)'))
      await expect(sqliteStore({ path: theirs }).read('t')).rejects.toMatchObject({ name: 'StoreCorrupt' })
    },
  )

  it('keeps looking at a file harmless for the locks of other stores in this process', async () => {
    // Closing any descriptor of a file drops all of a process's POSIX locks on it; another process would then take the log away.
    const path = join(temporaryFolder(), 'store.db')
    const long = sqliteStore({ path })
    await long.append({ threadId: 't', entries: [entry(1)], requests: [{ op: 'open', entry: 0, row: requestRow(1) }] })
    for (let n = 0; n < 3; n++) {
      const short = sqliteStore({ path })
      expect((await short.read('t')).version).toBe(n + 1)
      await short.close()
      expect(await runChild('writer', { path, name: `child${n}`, count: 3 })).toMatchObject({ code: 0, errors: '' })
      expect(existsSync(`${path}-wal`)).toBe(true)
      expect(await long.append({ threadId: 't', entries: [entry(n)] })).toMatchObject({ ok: true, version: n + 2 })
    }
    await long.close()
  })
})

it('refuses a driver that it does not know, and a url in place of a path', () => {
  const path = join(temporaryFolder(), 'store.db')
  expect(() => sqliteStore({ path, driver: 'sqlite3' as 'libsql' })).toThrow(
    "driver must be 'node:sqlite' or 'libsql' or 'better-sqlite3'",
  )
  for (const url of ['postgres://localhost/app', 'file:store.db', 'FILE:///store.db'])
    expect(() => sqliteStore({ path: url })).toThrow('is that of a file, such as ./runs.db, not a url')
  expect(() => sqliteStore({ path: 'C:/runs.db' })).not.toThrow()
})

describe('a missing driver', () => {
  const hasNodeSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined

  it.skipIf(hasNodeSqlite)('is named, with what to do, when this Node has no SQLite', async () => {
    const store = sqliteStore({ path: join(temporaryFolder(), 'store.db'), driver: 'node:sqlite' })
    await expect(store.read('t')).rejects.toMatchObject({
      name: 'PeerMissing',
      message: expect.stringMatching(/Node 22\.13 or newer, or driver: 'libsql'/),
    })
  })

  it.skipIf(hasNodeSqlite)('is named, with what to do, when none is installed', async () => {
    const folder = temporaryFolder()
    cpSync(new URL('../../../dist', import.meta.url), join(folder, 'dist'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    mkdirSync(join(folder, 'data'))
    const { sqliteStore: unaided } = (await import(join(folder, 'dist', 'sqlite.js'))) as {
      sqliteStore: typeof sqliteStore
    }
    for (const options of [{}, { driver: 'libsql' } as const]) {
      const store = unaided({ path: join(folder, 'data', 'store.db'), ...options })
      await expect(store.append({ threadId: 't', entries: [] })).rejects.toMatchObject({
        code: 'peer_missing',
        message: expect.stringContaining('npm install libsql'),
      })
    }
    expect(readdirSync(join(folder, 'data'))).toEqual([])
  })
})
