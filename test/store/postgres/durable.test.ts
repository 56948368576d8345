import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresStore, type StoreWarning } from '../../../src/postgres.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { warningsDuring } from '../../support/warnings.ts'

/** A server that acknowledges commits long before it writes them, unless it is told otherwise for a transaction. */
const server = usePostgres({ settings: ['synchronous_commit=off', 'wal_writer_delay=10s', 'full_page_writes=off'] })

async function admin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server.get().connectionString)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe('a server with synchronous_commit = off', () => {
  it.each([
    ['unsigned', {}],
    ['signed', { auditKey: 'a secret for tests' }],
  ])('keeps what the store acknowledged (%s) when it crashes, and loses what others wrote', async (_, options) => {
    const schema = freshSchema()
    const { connectionString } = server.get()
    const store = postgresStore({ connectionString, schema, onWarning: () => undefined, ...options })
    await store.append({ threadId: 't', entries: [entry(0)] })
    await admin((client) => client.query(`CREATE TABLE ${schema}.control (n integer); CHECKPOINT`))
    const acknowledged = await store.append({
      threadId: 't',
      entries: [entry(1)],
      lease: { op: 'take', holder: 'a', ttlMs: 60_000 },
    })
    expect(acknowledged).toMatchObject({ ok: true, version: 2 })
    await store.close()
    await admin(async (client) => {
      await client.query(`INSERT INTO ${schema}.control VALUES (1)`)
      await server.get().crash()
    })
    await server.get().start()
    const again = postgresStore({ connectionString, schema, onWarning: () => undefined, ...options })
    expect(await again.read('t')).toMatchObject({ version: 2, lease: { holder: 'a' } })
    await again.close()
    expect((await admin((client) => client.query(`SELECT * FROM ${schema}.control`))).rows).toEqual([])
  })

  it('is left with what it is set to: nothing of the store’s settings leaks into the connection', async () => {
    const schema = freshSchema()
    const pool = new pg.Pool({ connectionString: server.get().connectionString, max: 1 })
    const settings = async () => {
      const names = ['synchronous_commit', 'lock_timeout', 'idle_in_transaction_session_timeout']
      const { rows } = await pool.query('SELECT name, setting FROM pg_settings WHERE name = ANY($1) ORDER BY name', [
        names,
      ])
      return rows
    }
    const before = await settings()
    const store = postgresStore({ pool, schema, onWarning: () => undefined })
    await store.append({ threadId: 't', entries: [entry(1)] })
    await store.renewLease('t', { holder: 'a', token: 1, ttlMs: 1000 })
    expect(await settings()).toEqual(before)
    await store.close()
    await pool.end()
  })
})

describe('what makes a server less durable than a store says', () => {
  it('is told when it is opened, once for each setting, and for tables that a crash empties', async () => {
    const schema = freshSchema()
    const warnings: StoreWarning[] = []
    const open = () =>
      postgresStore({
        connectionString: server.get().connectionString,
        schema,
        onWarning: (warning) => warnings.push(warning),
      })
    const first = open()
    await first.append({ threadId: 't', entries: [entry(1)] })
    await first.read('t')
    await first.close()
    expect(warnings.map(({ code }) => code)).toEqual(['fsync_off', 'full_page_writes_off'])
    expect(warnings[0]!.message).toContain('fsync = off')
    await admin((client) => client.query(`ALTER TABLE ${schema}.entries SET UNLOGGED`))
    const second = open()
    await second.read('t')
    await second.close()
    expect(warnings.at(-1)).toMatchObject({ code: 'unlogged', message: expect.stringContaining('entries') })
  })

  it('can be refused', async () => {
    const refuse = () => {
      throw new Error('not on this server')
    }
    const store = postgresStore({
      connectionString: server.get().connectionString,
      schema: freshSchema(),
      onWarning: refuse,
    })
    await expect(store.read('t')).rejects.toMatchObject({ code: 'store_failed', message: /not on this server/ })
    await store.close()
  })

  it('is a process warning unless onWarning is given', async () => {
    const store = postgresStore({ connectionString: server.get().connectionString, schema: freshSchema() })
    const warnings = await warningsDuring(() => store.read('t'))
    expect(warnings[0]).toMatchObject({ name: 'HoldpointWarning', code: 'holdpoint_fsync_off' })
    await store.close()
  })
})
