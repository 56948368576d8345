import { linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DriverConflict } from '../../../src/protocol/errors/errors.ts'
import { claimFile } from '../../../src/store/sqlite/connection/one-library.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { temporaryFolder } from './harness.ts'

describe('a file is opened with one SQLite library in a process', () => {
  it('refuses a store whose file another library has opened, before anything is opened', async () => {
    const path = join(temporaryFolder(), 'store.db')
    // As if a store with this driver had been opened: Node 20 has one library.
    claimFile(path, 'node:sqlite')
    const store = sqliteStore({ path, driver: 'libsql' })
    const refused = store.append({ threadId: 'a', entries: [entry('no')] })
    await expect(refused).rejects.toMatchObject({ name: 'DriverConflict', code: 'driver_conflict', path })
    await expect(refused).rejects.toThrow(/opened with node:sqlite in this process, so libsql may not/)
    await store.close()
  })

  it('knows a file under all of its names, and keeps its library after it is closed', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'linked'))
    const path = join(folder, 'linked', 'store.db')
    const store = sqliteStore({ path, driver: 'libsql' })
    await store.append({ threadId: 'a', entries: [entry('yes')] })
    await store.close()
    symlinkSync(path, join(folder, 'other.db'))
    for (const name of ['real/store.db', 'linked/store.db', 'other.db'])
      expect(() => claimFile(join(folder, name), 'better-sqlite3')).toThrow(DriverConflict)
  })

  it('knows a file under a hard link, and one that was made through a link', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'store.db')
    symlinkSync(path, join(folder, 'link.db'))
    const store = sqliteStore({ path: join(folder, 'link.db'), driver: 'libsql' })
    await store.append({ threadId: 'a', entries: [entry('yes')] })
    await store.close()
    linkSync(path, join(folder, 'hard.db'))
    for (const name of ['store.db', 'hard.db']) {
      expect(() => claimFile(join(folder, name), 'better-sqlite3')).toThrow(DriverConflict)
      expect(() => claimFile(join(folder, name), 'libsql')).not.toThrow()
    }
  })

  it('lets any number of stores use the same library', async () => {
    const path = join(temporaryFolder(), 'store.db')
    const stores = [1, 2].map(() => sqliteStore({ path, driver: 'libsql' }))
    for (const [n, store] of stores.entries()) await store.append({ threadId: `t${n}`, entries: [entry('yes')] })
    for (const store of stores) await store.close()
  })
})
