import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { erase, memoryStore, type Store } from '../../src/index.ts'
import { postgresStore } from '../../src/postgres.ts'
import { checkChain } from '../../src/protocol/chain/find-break.ts'
import { notesThread } from '../../src/protocol/ids.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { freshSchema, useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { SECRET, secretThread, WHY } from './scene.ts'
import { inFiles, inTables } from './traces.ts'

const server = usePostgres()
const admin = useAdmin(server)

/** A store, and where its tables or files have a text. */
interface Searched {
  store: Store
  find(text: string): Promise<string[]>
}

function sqlite(): Searched {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-erasure-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { store: sqliteStore({ path: join(folder, 'store.db') }), find: async (text) => inFiles(folder, text) }
}

function postgres(): Searched {
  const schema = freshSchema()
  const store = postgresStore({ connectionString: server.get().connectionString, schema })
  return { store, find: (text) => inTables(admin.get(), schema, text) }
}

function memory(): Searched {
  const store = memoryStore()
  const kinds = ['delivery', 'delivery-due', 'idempotency', 'stuck', 'erasure']
  const find = async (text: string) => {
    const kept: unknown[] = []
    for (const { threadId } of (await store.threads()).threads) kept.push(await store.readChain(threadId))
    for (const kind of kinds) kept.push(await store.findRecords({ kind }))
    kept.push(await store.findRequests({}), await store.outbox({ after: '' }))
    return JSON.stringify(kept).includes(text) ? ['memory'] : []
  }
  return { store, find }
}

async function verified(store: Store, threadId: string): Promise<number> {
  const [entries, end] = [await store.readChain(threadId), await store.readHead(threadId)]
  const place = { tenant: store.tenantId, threadId, after: 0, previous: undefined }
  const { broken, erased } = checkChain({ ...place, entries, links: entries, end })
  expect(broken).toBeUndefined()
  return erased
}

describe.each([
  ['memory', memory],
  ['SQLite', sqlite],
  ['Postgres', postgres],
])('after a thread was erased in %s', (_, open) => {
  it('its secrets are in no table, file or log, its chain verifies, and who erased it is on record', async () => {
    const { store, find } = open()
    onTestFinished(() => store.close())
    const request = await secretThread(store)
    expect(await find(SECRET)).not.toEqual([])
    const { version } = await store.read('order-1')

    const done = await erase(store, { threadId: 'order-1', ...WHY })

    expect(done).toEqual({
      erased: [{ tenantId: 'default', threadId: 'order-1', entries: version, requests: 1 }],
      refused: [],
    })
    expect(await find(SECRET)).toEqual([])
    expect(await verified(store, 'order-1')).toBe(version)
    expect(await verified(store, notesThread(request))).toBe(1)
    await expect(store.read('order-1')).rejects.toMatchObject({ code: 'thread_erased' })
    const { entries } = await store.read('~erasures')
    expect(entries.map(({ body }) => JSON.parse(body))).toEqual([
      {
        ...{ v: 1, type: 'thread.erased', thread: 'order-1', entries: version, requests: 1 },
        ...{ erasedAt: expect.any(Number), by: { kind: 'person', id: 'dora' }, reason: WHY.reason },
      },
    ])
    for (const kind of ['erasure', 'stuck', 'idempotency'])
      expect((await store.findRecords({ kind })).records, kind).toEqual([])
    // That it was decided waits to be told, with ids only.
    const { records } = await store.findRecords({ kind: 'delivery' })
    const messages = records.map(({ value }) => JSON.parse(JSON.parse(value).body))
    expect(messages).toEqual([
      {
        type: 'request.decided',
        timestamp: expect.any(String),
        data: { id: request, version: 2, status: 'decided', tenant: 'default' },
      },
    ])
    expect((await erase(store, { threadId: 'order-1', ...WHY })).erased).toEqual([])
    expect((await store.read('~erasures')).version).toBe(1)
  })
})
