import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../src/ports/store.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../../src/store/sqlite/store.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import type { HarnessOptions, StoreHarness } from '../../../src/testing/store-suite/store-case.ts'
import { ownFolder } from '../../support/own-folder.js'
import { onFile } from '../../support/stores/open-file.ts'
import { tamperingSql } from '../tampering.js'

const root = ownFolder('store')

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
      const statements = tamperingSql(tampering, { prefix: '', hex: (bytes) => `X'${bytes}'` })
      onFile(paths.get(store)!, (db) => db.exec(statements.join(';')), options.driver)
    },
  }
}
