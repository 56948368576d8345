import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../../src/ports/store.ts'
import { loadDriver } from '../../../src/store/sqlite/connection/load-driver.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../../src/store/sqlite/store.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import type { HarnessOptions, StoreHarness } from '../../../src/testing/store-suite/store-case.ts'
import { tamperingSql } from '../tampering.js'

const root = mkdtempSync(join(tmpdir(), 'holdpoint-store-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

/** A folder that is gone when the process ends. */
export function temporaryFolder(): string {
  return mkdtempSync(join(root, 'f-'))
}

/** How the SQLite store joins the suite: each store is a file of its own, and reopening opens the same file. */
export function sqliteHarness(options: Omit<SqliteStoreOptions, 'path' | 'clock'> = {}): StoreHarness {
  const folder = temporaryFolder()
  const clock = fakeClock()
  const paths = new WeakMap<Store, string>()
  let count = 0
  const open = (path: string, more: HarnessOptions = {}) => {
    const store = sqliteStore({ ...options, ...more, path, clock })
    paths.set(store, path)
    return store
  }
  return {
    clock,
    create: async (more) => open(join(folder, `${++count}`, 'store.db'), more),
    reopen: async (store, more) => open(paths.get(store)!, more),
    async tamper(store, tampering) {
      // Another SQLite library in this process would drop the locks of the store's own.
      const db = loadDriver(options.driver).open(paths.get(store)!, 'write')
      for (const sql of tamperingSql(tampering, { prefix: '', hex: (bytes) => `X'${bytes}'` })) db.exec(sql)
      db.close()
    },
  }
}
