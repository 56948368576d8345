import { expect } from 'vitest'
import { bodyHash, CHAIN_START, chainHash } from '../../../src/protocol/chain/chain.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { openFile } from '../../support/stores/open-file.ts'

/** Insists that a file is sound for SQLite, and that these threads of it are numbered without gaps and chained. */
export async function checkFile(path: string, threadIds: readonly string[]): Promise<void> {
  const db = openFile(path)
  expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
  const dangling = db.prepare(
    `SELECT count(*) AS n FROM requests r
     WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.thread = r.thread AND e.seq = r.opened)`,
  )
  expect(dangling.get([])).toMatchObject({ n: 0 })
  db.close()
  const store = sqliteStore({ path })
  for (const threadId of threadIds) {
    let previous = CHAIN_START
    let seq = 0
    for (const link of await store.readChain(threadId)) {
      const hash = chainHash(
        { tenant: 'default', threadId, seq: ++seq, at: link.at },
        previous,
        bodyHash(link.salt, link.body),
      )
      expect(link.seq).toBe(seq)
      expect(Buffer.compare(hash, link.hash)).toBe(0)
      previous = link.hash
    }
    expect((await store.read(threadId)).version).toBe(seq)
  }
  await store.close()
}
