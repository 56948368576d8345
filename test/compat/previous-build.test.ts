import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { erase, openDesk, type Store } from '../../src/index.ts'
import type { OutboxRow } from '../../src/ports/outbox.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { entry, soon } from '../../src/testing/store-suite/tools.ts'
import { onFile } from '../support/stores/open-file.ts'
import { inFolder, type Place, usePlaces } from '../support/stores/places.ts'
import { usePrevious } from './previous.ts'

/**
 * Changes of the tables are made in two steps (expand, then contract), so that builds of two versions serve one store while they are being
 * exchanged. The previous build is `previous-build.js.gz`; it runs in a process of its own, beside this one.
 */
const previous = usePrevious()

function present(address: string): Store {
  const [connectionString = '', schema] = address.split('#')
  return schema === undefined
    ? sqliteStore({ path: address })
    : postgresStore({ connectionString, schema, onWarning: () => undefined })
}

/** Rows after a position, as soon as there are that many. */
async function told(store: Store, start: string, count: number): Promise<string[]> {
  const rows: OutboxRow[] = []
  for (let after = start; rows.length < count; ) {
    await soon(store.outboxChanged({ after, signal: new AbortController().signal }))
    const page = await store.outbox({ after })
    rows.push(...page.rows)
    after = page.end
  }
  return rows.map(({ what, id, version }) => `${what} ${id} ${version}`)
}

const idsOf = async (store: Store, query: Parameters<Store['findRequests']>[0]) =>
  (await store.findRequests(query)).requests.map(({ id }) => id).sort()

async function sql(address: string, statement: string): Promise<void> {
  const [connectionString = '', schema] = address.split('#')
  if (schema === undefined) return onFile(address, (db) => db.exec(statement))
  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query(`SET search_path TO ${schema}`)
  await client.query(statement)
  await client.end()
}

const both = (place: Place, check: (address: string) => Promise<void>) =>
  inFolder('compat', async (own) => {
    await check(place(own))
  })

describe.each(usePlaces())('the previous build beside this one, on %s', (name, place) => {
  it('goes on with a store that this build has upgraded: it opens, decides, sweeps and resumes', () =>
    both(place, async (address) => {
      const old = await previous(address)
      const named = { reviewers: ['ann', 'group:ops'] }
      const before = await old('open', { threadId: 'before', ask: named })
      const free = await old('open', { threadId: 'free' })
      const store = present(address)
      expect(await idsOf(store, { readers: ['user:ann'] })).toEqual([before])
      expect(await idsOf(store, { readers: ['group:ops', '*'] })).toEqual([before, free].sort())
      expect(await idsOf(store, { text: 'bob@EXAMPLE 42 refund before' })).toEqual([before])
      expect(await idsOf(store, { text: 'hunter2' })).toEqual([])
      expect((await store.outbox({ after: '' })).rows).toEqual([])

      const { end } = await store.outbox()
      const during = await old('open', { threadId: 'during', ask: { reviewers: ['bob'] } })
      const late = await old('open', { threadId: 'late', ask: { timeoutSeconds: 0.5 } })
      expect(await idsOf(store, { readers: ['user:bob'], text: 'during' })).toEqual([during])
      expect(await store.countRequests({ status: 'open', readers: ['*'] })).toEqual({ count: 2, more: false })
      expect(await old('decide', { request: before, always: true })).toBe('decided')
      await expect.poll(async () => (await store.due()).requests.length).toBe(1)
      expect(await old('sweep')).toMatchObject({ expired: 1 })
      const rows = await told(store, end, 5)
      expect(rows.slice(0, 3)).toEqual([`opened ${during} 1`, `opened ${late} 1`, `decided ${before} 2`])
      expect(rows[3]).toMatch(/^created /)
      expect(rows[4]).toBe(`expired ${late} 2`)

      const { requests: byChange } = await store.findRequests({ order: 'changed' })
      expect(byChange.map(({ id }) => id)).toEqual([late, before, during, free])
      const desk = openDesk({ store })
      expect(await desk.get(before)).toMatchObject({ status: 'decided', decision: { by: { id: 'ann' } } })
      await desk.comment(free, { text: 'Please wait.', by: 'bob' })
      await desk.assign(free, { assignee: 'bob', by: 'bob', seconds: 60, claim: true })
      expect(await old('list')).toEqual([during, free].sort().reverse())
      await desk.decide({ request: free, decision: { type: 'approve' }, by: 'bob' })
      expect(await old('resume', { threadId: 'free' })).toBe('completed')
      expect(await old('resume', { threadId: 'before', ask: named })).toBe('completed')
      await old('close')
      await store.close()
    }))

  it('opens and serves a store that this build has made', () =>
    both(place, async (address) => {
      const store = present(address)
      await store.append({ threadId: 't', entries: [entry(1)] })
      const { end } = await store.outbox()
      const old = await previous(address)
      const asked = await old('open', { threadId: 'run', ask: { reviewers: ['ann'] } })
      expect(await old('decide', { request: asked })).toBe('decided')
      expect(await told(store, end, 2)).toEqual([`opened ${asked} 1`, `decided ${asked} 2`])
      expect(await idsOf(store, { readers: ['user:ann'], status: 'closed' })).toEqual([asked])
      await old('close')
      await store.close()
    }))

  it('writes nothing to a thread that this build has erased, and still verifies and lists everything', () =>
    both(place, async (address) => {
      const old = await previous(address)
      const gone = await old('open', { threadId: 'gone' })
      const kept = await old('open', { threadId: 'kept' })
      const store = present(address)
      await erase(store, { threadId: 'gone', by: 'ann', reason: 'asked to', abort: true })
      expect(await old('list')).toEqual([kept])
      await expect(old('decide', { request: gone })).rejects.toMatchObject({ code: 'no_pending_request' })
      await expect(old('open', { threadId: 'gone' })).rejects.toMatchObject({ message: /erased/ })
      expect((await store.readChain('gone')).every(({ body }) => JSON.parse(body).type === 'erased')).toBe(true)
      expect(await old('decide', { request: kept })).toBe('decided')
      expect(await old('resume', { threadId: 'kept' })).toBe('completed')
      await old('close')
      await store.close()
    }))

  it('both refuse a store that was made for newer builds only, and leave it', () =>
    both(place, async (address) => {
      const made = present(address)
      await made.read('t')
      await made.close()
      const raise =
        name === 'SQLite'
          ? 'UPDATE holdpoint_store SET version = 99, oldest = 99; PRAGMA user_version = 99'
          : 'UPDATE holdpoint_store SET version = 99, oldest = 99; INSERT INTO holdpoint_migrations (version) VALUES (99)'
      await sql(address, raise)
      const store = present(address)
      await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreNewer', message: /version 99/ })
      await store.close()
      const old = await previous(address)
      await expect(old('list')).rejects.toMatchObject({ code: 'store_newer', message: /version 99/ })
      await old('close')
    }))

  it('this build serves a newer store that says that it may', () =>
    both(place, async (address) => {
      const made = present(address)
      await made.read('t')
      await made.close()
      await sql(address, 'UPDATE holdpoint_store SET version = 99')
      const store = present(address)
      expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true })
      await store.close()
      await sql(address, 'UPDATE holdpoint_store SET oldest = 99')
      const late = present(address)
      await expect(late.read('t')).rejects.toMatchObject({ name: 'StoreNewer' })
      await late.close()
    }))
})
