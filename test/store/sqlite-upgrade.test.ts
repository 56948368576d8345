import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { openDesk, run } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { entry } from '../../src/testing/store-suite/tools.ts'
import { calls, gated, scripted } from '../scenarios/support.ts'
import { temporaryFolder } from './sqlite-harness.ts'

const by = { kind: 'person', id: 'ann' } as const

/** A file as version 1 left it: no table of grants, and grants without anything but a run. */
async function fileOfVersion1(): Promise<string> {
  const path = join(temporaryFolder(), 'store.db')
  const store = sqliteStore({ path })
  const desk = openDesk({ store })
  for (const [threadId, withdrawn] of [
    ['kept', false],
    ['withdrawn', true],
  ] as const) {
    const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay'])], [gated('pay')])
    const { interruptions } = await run(agent, 'go', { store, threadId })
    const [request] = interruptions
    await desk.decide({ request: request!, decision: { type: 'approve' }, by, always: true })
    if (withdrawn) await desk.withdraw(request!, by)
  }
  await store.close()
  onFile(path, (db) => db.exec('DROP TABLE grants; PRAGMA user_version = 1'))
  return path
}

function onFile<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const versionOf = (path: string) =>
  onFile(path, (db) => (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)

describe('a file of schema version 1', () => {
  it('is upgraded when it is opened, and the grants of its journals are found', async () => {
    const path = await fileOfVersion1()
    const store = sqliteStore({ path })
    const { grants } = await openDesk({ store }).grants({ status: 'all' })
    expect(grants.map(({ threadId, status, scope, toolName, by }) => [threadId, status, scope, toolName, by])).toEqual([
      ['withdrawn', 'revoked', 'run', 'pay', by],
      ['kept', 'active', 'run', 'pay', by],
    ])
    expect(grants[0]?.revoked).toMatchObject({ by })
    const pay = gated('pay')
    const { agent } = scripted(['Done.'], [pay])
    const kept = await agent.thread('kept', { store }).resume()
    expect(kept.status).toBe('completed')
    expect(pay.runs.map(({ ctx }) => ctx.approvedBy?.kind)).toEqual(['person', 'grant'])
    await store.close()
    expect(versionOf(path)).toBe(2)
  })

  it('is upgraded once by stores that open it together', async () => {
    const path = await fileOfVersion1()
    const stores = Array.from({ length: 8 }, () => sqliteStore({ path }))
    const outcomes = await Promise.all(
      stores.map((store, n) => store.append({ threadId: `new ${n}`, entries: [entry(n)] })),
    )
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    for (const store of stores) {
      expect((await store.findGrants({})).grants).toHaveLength(1)
      await store.close()
    }
  })

  it('waits for a writer of the old version instead of failing', async () => {
    const path = await fileOfVersion1()
    const db = new Database(path)
    db.exec('BEGIN IMMEDIATE')
    const store = sqliteStore({ path })
    const finding = store.findGrants({})
    await new Promise((resolve) => setTimeout(resolve, 100))
    db.exec('COMMIT')
    db.close()
    expect((await finding).grants).toHaveLength(1)
    await store.close()
  })

  it('is upgraded whole or not at all', async () => {
    const path = await fileOfVersion1()
    onFile(path, (db) => db.exec('CREATE TABLE grants (odd)'))
    const store = sqliteStore({ path })
    await expect(store.read('kept')).rejects.toMatchObject({ name: expect.stringMatching(/^Store/) })
    await store.close()
    expect(versionOf(path)).toBe(1)
    onFile(path, (db) => db.exec('DROP TABLE grants'))
    const mended = sqliteStore({ path })
    expect((await mended.findGrants({})).grants).toHaveLength(1)
    await mended.close()
  })
})
