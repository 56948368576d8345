import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore, type Store } from '../../../src/index.ts'
import type { Clock } from '../../../src/ports.ts'
import { sqliteStore } from '../../../src/sqlite.ts'

/** Works with a store of one kind, closed and removed afterwards. */
export async function withStore<T>(
  kind: 'memory' | 'sqlite',
  work: (store: Store) => Promise<T>,
  options: { clock?: Clock } = {},
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-threads-'))
  const store = kind === 'memory' ? memoryStore(options) : sqliteStore({ path: join(dir, 'store.db'), ...options })
  try {
    return await work(store)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
