import { inspect } from 'node:util'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { PgPool } from '../../../src/store/postgres/connection/driver.ts'
import { migrations, SCHEMA_VERSION } from '../../../src/store/postgres/tables/schema.ts'
import { entry, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, useAdmin, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const admin = useAdmin(server)

const open = (schema: string) => unsyncedPostgres({ connectionString: server.get().connectionString, schema })

async function tablesOf(schema: string): Promise<string[]> {
  const { rows } = await admin.get().query('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [schema])
  return rows.map(({ tablename }) => tablename as string)
}

const TABLES = [
  ...[
    'chunks',
    'entries',
    'grants',
    'holdpoint_migrations',
    'holdpoint_store',
    'outbox',
    'outbox_pruned',
    'records',
    'requests',
  ],
  ...['snapshots', 'threads', 'voided'],
]

describe('opening a schema', () => {
  it('makes it when it is first used, and not before', async () => {
    const schema = freshSchema()
    const store = open(schema)
    expect(await tablesOf(schema)).toEqual([])
    expect((await store.read('t')).version).toBe(0)
    expect(await tablesOf(schema)).toEqual(TABLES)
    await store.close()
  })

  it('makes it once, however many processes come at the same time', async () => {
    const schema = freshSchema()
    const stores = Array.from({ length: 8 }, () => open(schema))
    const outcomes = await Promise.all(stores.map((store, n) => store.append({ threadId: 't', entries: [entry(n)] })))
    expect(outcomes.map((outcome) => outcome.ok && outcome.version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await Promise.all(stores.map((store) => store.close()))
    const { rows } = await admin.get().query(`SELECT version FROM ${schema}.holdpoint_migrations`)
    expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }])
  })

  it('waits for who holds the lock', async () => {
    const schema = freshSchema()
    await admin.get().query('BEGIN')
    await admin.get().query("SELECT pg_advisory_xact_lock(hashtextextended('holdpoint:' || $1, 0))", [schema])
    const store = open(schema)
    const reading = store.read('t')
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(await tablesOf(schema)).toEqual([])
    await admin.get().query('COMMIT')
    expect((await reading).version).toBe(0)
    await store.close()
  })

  it('needs no right to change it where the printed script was run before', async () => {
    const schema = freshSchema()
    await admin.get().query(migrations(schema))
    await admin.get().query(`
      CREATE ROLE ${schema}_user LOGIN;
      GRANT USAGE ON SCHEMA ${schema} TO ${schema}_user;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${schema}_user;
      REVOKE INSERT, UPDATE, DELETE ON ${schema}.holdpoint_migrations FROM ${schema}_user;`)
    const connectionString = server.get().connectionString.replace('postgres:not-a-secret-but', `${schema}_user`)
    const store = unsyncedPostgres({ connectionString, schema })
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
    await expect(admin.get().query(migrations(schema))).rejects.toMatchObject({ code: '42P07' })
    await admin.get().query('ROLLBACK')
    expect(await tablesOf(schema)).toEqual(TABLES)
  })

  it('prints exactly what it does', async () => {
    const shape = async (schema: string) => {
      const columns = `SELECT table_name, column_name, data_type, collation_name, is_nullable FROM information_schema.columns
         WHERE table_schema = $1 ORDER BY 1, ordinal_position`
      const indexes = `SELECT replace(indexdef, $1, '') AS text FROM pg_indexes WHERE schemaname = $1 ORDER BY 1`
      const functions = `SELECT replace(pg_get_functiondef(p.oid), $1, '') AS text FROM pg_proc p
         WHERE pronamespace = $1::text::regnamespace ORDER BY proname`
      const found: unknown[] = []
      for (const text of [columns, indexes, functions])
        found.push((await admin.get().query({ text, values: [schema] })).rows)
      return found
    }
    const [printed, made] = [freshSchema(), freshSchema()]
    await admin.get().query(migrations(printed))
    const store = open(made)
    await store.read('t')
    await store.close()
    expect(await shape(made)).toEqual(await shape(printed))
  })

  it('refuses a newer version, and leaves it', async () => {
    const schema = freshSchema()
    await admin.get().query(migrations(schema))
    await admin.get().query(`INSERT INTO ${schema}.holdpoint_migrations (version) VALUES (${SCHEMA_VERSION + 1})`)
    const store = open(schema)
    for (const call of [() => store.read('t'), () => store.append({ threadId: 't', entries: [entry('no')] })]) {
      await expect(call()).rejects.toMatchObject({
        name: 'StoreNewer',
        message: new RegExp(`schema version ${SCHEMA_VERSION + 1}`),
      })
    }
    await expect(store.changed('t', { after: 0, signal: new AbortController().signal })).rejects.toMatchObject({
      name: 'StoreNewer',
    })
    await store.close()
    expect((await admin.get().query(`SELECT count(*)::int AS n FROM ${schema}.threads`)).rows).toEqual([{ n: 0 }])
  })

  it('refuses a schema with tables of another application, and leaves it', async () => {
    const schema = freshSchema()
    await admin.get().query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.requests (mine text)`)
    const store = open(schema)
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreCorrupt', message: /another application/ })
    expect(await tablesOf(schema)).toEqual(['requests'])
    await admin.get().query(`DROP TABLE ${schema}.requests`)
    expect((await store.read('t')).version).toBe(0)
    await store.close()
  })

  it('refuses a database of another encoding', async () => {
    await admin.get().query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    const store = unsyncedPostgres({ connectionString: server.get().connectionString.replace(/postgres$/, 'latin') })
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreFailed', message: /LATIN1.*needs UTF8/ })
    await store.close()
  })

  it('refuses a server that is too old', async () => {
    const client = {
      query: async () => ({ rows: [{ version: '130011', encoding: 'UTF8' }] }),
      on: () => undefined,
      off: () => undefined,
      release: () => undefined,
    }
    const pool: PgPool = { connect: (callback) => callback(undefined, client), end: async () => undefined }
    const store = unsyncedPostgres({ pool })
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreFailed', message: /Postgres 13.*needs 14/ })
    await store.close()
  })
})

describe('invalid options', () => {
  it('is said at once', () => {
    expect(() => unsyncedPostgres({})).toThrow(expect.objectContaining({ name: 'InputInvalid' }))
    const pool = new pg.Pool()
    expect(() => unsyncedPostgres({ connectionString: 'postgres://h/d', pool })).toThrow(/not both/)
    for (const schema of ['', 'a b', 'x"y', 'ä', '1', 'x'.repeat(49)]) {
      expect(() => unsyncedPostgres({ connectionString: 'postgres://h/d', schema })).toThrow(/schema/)
      expect(() => migrations(schema)).toThrow(/schema/)
    }
  })

  it.each([
    ['a database that is not there', (url: string) => url.replace(/postgres$/, 'nowhere'), /nowhere/],
    ['a string that cannot be read', () => 'postgres://user:pass-word@host:port:port/x', /Postgres/],
    ['a password with a slash as it is', () => 'postgres://user:12/pass-word@nowhere.invalid/x', /Postgres, schema/],
    ['a password with a hash as it is', () => 'postgres://user:12#pass-word@nowhere.invalid/x', /Postgres, schema/],
    ['a host that is not there', () => 'postgres://user:pass-word@nowhere.invalid/x', /nowhere/],
  ])('is said when it is used, without the password: %s', async (_, change, message) => {
    const store = unsyncedPostgres({ connectionString: change(server.get().connectionString), timeoutMs: 500 })
    const error = await store.read('t').then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ name: 'StoreFailed', message: expect.stringMatching(message) })
    expect(inspect(error, { depth: 20 })).not.toMatch(/not-a-secret-but|pass-word/)
    await store.close()
  })
})

describe('connections', () => {
  const count = async (name: string) => {
    const { rows } = await admin
      .get()
      .query('SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE $1', [name])
    return (rows[0] as { n: number }).n
  }

  it('of a store’s own are gone when it is closed', async () => {
    const store = open(freshSchema())
    const stop = new AbortController()
    const waiting = store.changed('t', { after: 0, signal: stop.signal })
    await expect.poll(() => count('holdpoint listener')).toBe(1)
    stop.abort()
    await waiting
    await store.append({ threadId: 't', entries: [entry(1)] })
    // Appends that wait go out together, and need few connections. Lists are read by themselves.
    await Promise.all(Array.from({ length: 30 }, () => store.findRequests({})))
    expect(await count('holdpoint')).toBeGreaterThan(1)
    await store.close()
    await expect.poll(() => count('holdpoint%')).toBe(0)
  })

  it('of a pool that was passed in stay open, and keep no settings', async () => {
    const pool = new pg.Pool({ connectionString: server.get().connectionString, max: 1, application_name: 'brought' })
    pool.on('error', () => undefined)
    const store = unsyncedPostgres({ pool, schema: freshSchema() })
    const waiting = store.changed('t', { after: 0, signal: new AbortController().signal })
    await store.append({ threadId: 't', entries: [entry(1)] })
    await waiting
    await store.close()
    expect((await pool.query('SHOW search_path')).rows).toEqual([{ search_path: '"$user", public' }])
    await expect.poll(() => count('brought')).toBe(1)
    await pool.end()
  })

  it('give values as they are, whatever the process told the driver about types', async () => {
    const before = [20, 25, 114, 701].map((oid) => [oid, pg.types.getTypeParser(oid)] as const)
    for (const [oid] of before) pg.types.setTypeParser(oid, () => 'changed')
    try {
      const store = open(freshSchema())
      const row = requestRow(1, { assignee: 'ann' })
      const append = { threadId: 't', entries: [entry(1)], requests: [{ op: 'open', entry: 0, row } as const] }
      const outcome = await store.append({ ...append, lease: { op: 'take', holder: 'a', ttlMs: 1000 } })
      expect(outcome).toMatchObject({ ok: true, version: 1, lease: { token: 1 } })
      expect(await store.read('t')).toMatchObject({ version: 1, entries: [{ seq: 1, body: entry(1) }] })
      expect(await store.findRequests({ assignee: 'ann' })).toMatchObject({
        requests: [{ id: requestId(1), version: 1 }],
      })
      await store.close()
    } finally {
      for (const [oid, parser] of before) pg.types.setTypeParser(oid, parser)
    }
  })
})

describe('what Postgres cannot hold', () => {
  it('is a mistake of the caller, and stores nothing', async () => {
    const store = open(freshSchema())
    const opening = (row: object) => ({
      threadId: 't',
      entries: [entry(1)],
      requests: [{ op: 'open', entry: 0, row: requestRow(1, row) } as const],
    })
    for (const append of [
      { threadId: 'a\0b', entries: [entry(1)] },
      { threadId: 't', entries: ['\0'] },
      opening({ tool: 'a\0b' }),
      opening({ assignee: Array.from({ length: 9000 }, (_, n) => n.toString(36)).join('') }),
    ]) {
      await expect(store.append(append)).rejects.toMatchObject({ name: 'InputInvalid' })
    }
    expect((await store.read('t')).version).toBe(0)
    await expect(store.read('a\0b')).rejects.toMatchObject({ name: 'InputInvalid' })
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
  })
})

describe('the time of a store', () => {
  it('is that of the database', async () => {
    const store = open(freshSchema())
    const { rows } = await admin.get().query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now')
    const { now } = await store.read('t')
    expect(Math.abs(now - (rows[0] as { now: number }).now)).toBeLessThan(2000)
    const outcome = await store.append({ threadId: 't', entries: [entry(1)] })
    expect(outcome.ok && outcome.at).toBeGreaterThanOrEqual(now)
    expect((await store.read('t')).entries[0]?.at).toBe(outcome.ok && outcome.at)
    await store.close()
  })
})
