import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StoreBusy, StoreCorrupt } from '../../../src/protocol/errors/errors.ts'
import { loadDriver } from '../../../src/store/sqlite/connection/load-driver.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { describeConformance } from '../conformance.ts'
import { sqliteHarness, temporaryFolder } from './harness.ts'

/** `npm run test:drivers` installs it and runs this file. */
const driver = 'better-sqlite3'

describeConformance('the SQLite store on better-sqlite3, safe from power cuts', sqliteHarness({ driver }))
describeConformance(
  'the SQLite store on better-sqlite3, safe from killed processes',
  sqliteHarness({ driver, durability: 'process' }),
)

describe('better-sqlite3', () => {
  it('keeps every character of a string', async () => {
    const store = sqliteStore({ path: join(temporaryFolder(), 'store.db'), driver })
    const body = JSON.stringify({ v: 1, text: 'a\u0000b \u{10ffff}' })
    await store.append({ threadId: 'a', entries: [body] })
    const { entries } = await store.read('a')
    expect(entries.map((each) => each.body)).toEqual([body])
    await store.close()
  })

  it('refuses a database of another application, and leaves it', async () => {
    const path = join(temporaryFolder(), 'other.db')
    const other = loadDriver(driver).open(path, 'write')
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE diary (text); PRAGMA wal_checkpoint(TRUNCATE)')
    // In the log alone: opening and closing the file in the usual way would carry it over.
    other.exec("INSERT INTO diary VALUES ('dear diary')")
    const files = () => [path, `${path}-wal`].map((file) => readFileSync(file))
    const before = files()
    const store = sqliteStore({ path, driver })
    await expect(store.read('a')).rejects.toBeInstanceOf(StoreCorrupt)
    await store.close()
    expect(files()).toEqual(before)
    other.close()
  })

  it('never waits for a lock inside SQLite', async () => {
    const path = join(temporaryFolder(), 'store.db')
    const store = sqliteStore({ path, driver, busyTimeoutMs: 20 })
    await store.append({ threadId: 'a', entries: [entry('one')] })
    const other = loadDriver(driver).open(path, 'write')
    other.exec('BEGIN IMMEDIATE')
    await expect(store.append({ threadId: 'a', entries: [entry('two')] })).rejects.toBeInstanceOf(StoreBusy)
    other.exec('ROLLBACK')
    other.close()
    await store.append({ threadId: 'a', entries: [entry('two')] })
    await store.close()
  })
})
