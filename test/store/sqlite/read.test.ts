import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { onFile } from '../../support/stores/open-file.ts'
import { checkReads } from '../read-property.js'
import { temporaryFolder } from './harness.ts'

const freshPath = () => join(temporaryFolder(), 'store.db')

describe('reading a thread of SQLite in pieces', () => {
  it('gives back exactly what was written, from any version on', async () => {
    const store = sqliteStore({ path: freshPath(), driver: 'libsql', durability: 'process' })
    await checkReads(store, { without: '\u0000' })
    await store.close()
  })

  it('refuses a string with U+0000 on write where libsql would truncate it', async () => {
    const store = sqliteStore({ path: freshPath(), driver: 'libsql', durability: 'process' })
    const neighbour = store.append({ threadId: 't', entries: ['{"n":1}'] })
    for (const append of [
      { threadId: 't', entries: ['{"n":2}', 'a\u0000b'] },
      { threadId: 'a\u0000b', entries: ['{}'] },
    ]) {
      await expect(store.append(append)).rejects.toMatchObject({ name: 'InputInvalid', message: /U\+0000/ })
    }
    expect(await neighbour).toMatchObject({ ok: true, version: 1 })
    expect(() => store.tenant('a\u0000b')).toThrow('is not a tenant id')
    expect((await store.read('t')).entries).toMatchObject([{ body: '{"n":1}' }])
    expect(await store.threads()).toEqual({ threads: [{ tenantId: 'default', threadId: 't' }] })
    await store.close()
  })

  it.each([
    ['in the first piece', [10]],
    ['in a later piece', [70, 129]],
    ['one whole piece', Array.from({ length: 64 }, (_, index) => index + 65)],
    ['all', Array.from({ length: 130 }, (_, index) => index + 1)],
  ])('notices which entries somebody took out of the file, whatever is verified: %s', async (_, gone) => {
    const path = freshPath()
    const writer = sqliteStore({ path, driver: 'libsql', durability: 'process' })
    const numbers = Array.from({ length: 130 }, (_, index) => index + 1)
    await writer.append({ threadId: 't', entries: numbers.map((n) => `{"n":${n}}`) })
    await writer.close()
    onFile(path, (db) => db.exec(`DELETE FROM entries WHERE seq IN (${gone.join()})`), 'libsql')
    for (const verify of ['chain', 'envelope'] as const) {
      const store = sqliteStore({ path, driver: 'libsql', durability: 'process', verify })
      await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreCorrupt', threadId: 't', seq: gone[0] })
      await store.close()
    }
  })

  it.each([
    ['snapshots', 'hash', "'text'"],
    ['snapshots', 'hash', '7'],
    ['snapshots', 'mac', 'NULL'],
    ['snapshots', 'mac', "'text'"],
  ])(
    'takes a snapshot for none whose row has something else where a hash belongs: %s, %s, %s',
    async (table, column, value) => {
      const { store, change } = await signed()
      change(`UPDATE ${table} SET ${column} = ${value}`)
      const slice = await store.read('t', { snapshot: 7 })
      expect([slice.snapshot, slice.entries.length]).toEqual([undefined, 2])
      await store.close()
    },
  )

  it.each([
    ['entries', 'hash', "'text'"],
    ['entries', 'salt', '7'],
    ['threads', 'mac', 'NULL'],
    ['threads', 'head', "'text'"],
  ])(
    'says that a thread is damaged which has something else where a hash belongs: %s, %s, %s',
    async (table, column, value) => {
      const { store, change } = await signed()
      change(`UPDATE ${table} SET ${column} = ${value}`)
      await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreCorrupt', threadId: 't' })
      await store.close()
    },
  )
})

/** A signed thread with a snapshot, in a store that has read nothing of it. */
async function signed() {
  const options = { path: freshPath(), driver: 'libsql', auditKey: { id: 'k', secret: 'a secret for tests' } } as const
  const writer = sqliteStore(options)
  await writer.append({ threadId: 't', entries: ['{"n":1}'] })
  await writer.append({ threadId: 't', version: 1, entries: ['{"n":2}'], snapshot: { fold: 7, body: 'state' } })
  expect((await writer.read('t', { snapshot: 7 })).snapshot).toBeDefined()
  await writer.close()
  const change = (sql: string) => onFile(options.path, (db) => db.exec(sql), options.driver)
  return { store: sqliteStore(options), change }
}
