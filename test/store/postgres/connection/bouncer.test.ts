import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { storeConformance } from '../../../../src/testing/store-suite/conformance.ts'
import { entry, soon } from '../../../../src/testing/store-suite/tools.ts'
import { bouncer, useBouncer } from '../../../support/servers/bouncer.ts'
import { freshSchema, useAdmin, usePostgres } from '../../../support/servers/use-postgres.ts'
import { soak } from '../../../support/soak.ts'
import { unsyncedPostgres } from '../../../support/stores/unsynced-postgres.ts'
import { describeConformance } from '../../conformance.ts'
import { postgresHarness } from '../harness.ts'

const server = usePostgres({ settings: ['synchronous_commit=off'] })
const admin = useAdmin(server)
const proxy = useBouncer(server)

/** Settings that PgBouncer sets itself for each client. */
const OF_CLIENTS = '{client_encoding,DateStyle,TimeZone,standard_conforming_strings,application_name}'

/** The connections of PgBouncer to the server, and what was said on them last. */
async function saidByProxy(): Promise<string[]> {
  const { rows } = await admin
    .get()
    .query(`SELECT query FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
  return rows.map(({ query }) => query as string)
}

/** What is asked on PgBouncer's connections, which are all shared. */
async function onShared(sql: string): Promise<Record<string, unknown>[]> {
  const pool = new pg.Pool({ connectionString: proxy.connectionString(), max: 4 })
  const answers = await Promise.all(Array.from({ length: 8 }, () => pool.query(sql)))
  await pool.end()
  return answers.flatMap(({ rows }) => rows as Record<string, unknown>[])
}

describe.skipIf(bouncer.missing)(`behind PgBouncer, by transaction${bouncer.note}`, () => {
  it.each([
    ['unsigned', {}],
    ['signed', { auditKey: 'a secret for tests' }],
  ])('appends of several stores (%s) are stored once, in order, and no setting leaks to others', async (_, options) => {
    const schema = freshSchema()
    const connectionString = proxy.connectionString()
    const stores = [1, 2, 3].map(() => unsyncedPostgres({ connectionString, schema, ...options }))
    const [first] = stores
    const writing = stores.flatMap((store, writer) =>
      Array.from({ length: 12 }, (_, n) => store.append({ threadId: `t${n % 3}`, entries: [entry(`${writer} ${n}`)] })),
    )
    for (const outcome of await Promise.all(writing)) expect(outcome.ok).toBe(true)
    for (const threadId of ['t0', 't1', 't2']) {
      const { version, entries } = await first!.read(threadId)
      expect([version, new Set(entries.map(({ body }) => body)).size]).toEqual([12, 12])
    }
    const shown = await onShared('SHOW synchronous_commit')
    expect(shown.map((row) => row.synchronous_commit)).toEqual(Array(8).fill('off'))
    await Promise.all(stores.map((store) => store.close()))
  })

  it.each([
    ['by a direct connection', () => server.get().connectionString],
    ['by polling', () => null],
    ['by polling, if it was told nothing', () => undefined],
  ])('what others write is noticed %s', async (_, listen) => {
    const schema = freshSchema()
    const listenConnectionString = listen()
    const more = listenConnectionString === undefined ? {} : { listenConnectionString }
    const open = () => unsyncedPostgres({ connectionString: proxy.connectionString(), schema, ...more })
    const [waiter, writer] = [open(), open()]
    await writer.append({ threadId: 't', entries: [entry(1)] })
    const { end } = await waiter.outbox()
    const signal = new AbortController().signal
    const woken = [waiter.changed('t', { after: 1, signal }), waiter.outboxChanged({ after: end, signal })]
    const wake = { op: 'by', inMs: 0, tell: true } as const
    await writer.append({ threadId: 't', entries: [entry(2)], wake })
    await soon(Promise.all(woken))
    await Promise.all([waiter.close(), writer.close()])
  })

  it('a store that listens elsewhere leaves no statement, lock, setting or LISTEN on shared connections', async () => {
    await admin
      .get()
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      )
    const listenConnectionString = server.get().connectionString
    const store = unsyncedPostgres({
      connectionString: proxy.connectionString(),
      listenConnectionString,
      schema: freshSchema(),
    })
    const stop = new AbortController()
    const waiting = store.changed('other', { after: 0, signal: stop.signal })
    for (let n = 0; n < 8; n++) {
      await store.append({ threadId: `t${n}`, entries: [entry(n)] })
      await store.read(`t${n}`)
      await store.writeRecords([{ op: 'put', kind: 'k', id: `${n}`, value: '1' }])
    }
    await expect.poll(saidByProxy).toContainEqual(expect.stringMatching(/^LISTEN/))
    expect(await onShared('SELECT name FROM pg_prepared_statements')).toEqual([])
    expect(await onShared('SELECT pg_listening_channels() AS channel')).toEqual([])
    expect(
      await onShared(`SELECT name FROM pg_settings WHERE source = 'session' AND name <> ALL('${OF_CLIENTS}')`),
    ).toEqual([])
    expect(await onShared(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([])
    stop.abort()
    await waiting
    await store.close()
  })
})

if (!bouncer.missing) {
  describeConformance(
    'the Postgres store, behind PgBouncer',
    postgresHarness((options) => ({
      ...options,
      connectionString: proxy.connectionString(),
      listenConnectionString: server.get().connectionString,
    })),
    soak.sample(storeConformance, { part: 0, of: 12 }),
  )
}
