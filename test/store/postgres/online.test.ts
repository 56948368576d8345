import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { migratePostgres } from '../../../src/store/postgres/migrate/apply.ts'
import { migrationStatus } from '../../../src/store/postgres/migrate/status.ts'
import { lockSchema, migrations, SCHEMA_VERSION } from '../../../src/store/postgres/tables/schema.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { holdpoint, tempDir } from '../../cli/support/programs.ts'
import { type Previous, usePrevious } from '../../compat/previous.ts'
import { useAdmin, usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { until } from '../../support/until.ts'

/** A database with a store that the previous build made and used, from which each test copies its own. */
const server = usePostgres()
const admin = useAdmin(server)
const previous = usePrevious()
const schema = 'holdpoint'
const functions = `version ${SCHEMA_VERSION}: functions`
const at = (database: string) => server.get().connectionString.replace(/postgres$/, database)
let copies = 0
let asked: string

async function oldStore(): Promise<string> {
  const name = `copy${++copies}`
  await admin.get().query(`CREATE DATABASE ${name} TEMPLATE old`)
  return at(name)
}

async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connectionString)
  await client.connect()
  try {
    const answers = await client.query(sql)
    return answers.rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

/** Tables, indexes, functions and triggers, and what the requests have. */
async function shape(connectionString: string): Promise<unknown> {
  const found: unknown[] = []
  for (const sql of [
    `SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns WHERE table_schema = '${schema}' ORDER BY 1, 2`,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = '${schema}' ORDER BY 1`,
    `SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace ORDER BY 1`,
    `SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = '${schema}'::regnamespace ORDER BY 1`,
    `SELECT relname, reloptions FROM pg_class WHERE relnamespace = '${schema}'::regnamespace ORDER BY 1`,
    `SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid`,
  ])
    found.push(await query(connectionString, sql))
  return found
}

const rowsOf = (connectionString: string) =>
  query(connectionString, `SELECT id, readers, risk, text, lists, changed_at FROM ${schema}.requests ORDER BY id`)

let made: unknown
let filled: unknown

beforeAll(async () => {
  for (const name of ['old', 'fresh']) await admin.get().query(`CREATE DATABASE ${name}`)
  const old = await previous(`${at('old')}#${schema}`)
  asked = await old('open', { threadId: 'a', ask: { reviewers: ['ann'] } })
  await old('open', { threadId: 'b' })
  await old('close')
  await query(at('fresh'), migrations(schema))
  made = await shape(at('fresh'))
  // What the upgrade in one transaction makes of the rows.
  const connectionString = await oldStore()
  const store = unsyncedPostgres({ connectionString })
  await store.read('a')
  await store.close()
  filled = await rowsOf(connectionString)
})

describe('an online migration', () => {
  it('ends with the tables of a new store, and the rows of an upgrade at once', async () => {
    const connectionString = await oldStore()
    const done = await migratePostgres({ connectionString })
    expect(done).toMatchObject({ from: 3, to: SCHEMA_VERSION })
    expect(await shape(connectionString)).toEqual(made)
    expect(await rowsOf(connectionString)).toEqual(filled)
    expect(await migratePostgres({ connectionString })).toMatchObject({ from: SCHEMA_VERSION, steps: [] })
  })

  it('makes a store where there is none', async () => {
    await admin.get().query('CREATE DATABASE empty')
    expect(await migratePostgres({ connectionString: at('empty') })).toMatchObject({ from: 0, to: SCHEMA_VERSION })
    expect(await shape(at('empty'))).toEqual(made)
  })

  it('goes on after it was killed before any of its steps', async () => {
    const names = (await migrationStatus({ connectionString: at('old') })).pending
    expect(names.length).toBeGreaterThan(10)
    const connectionString = await oldStore()
    const begun: string[] = []
    for (const name of names) {
      const onStep = (step: string) => {
        if (step === name && !begun.includes(name)) throw new Error(`killed before ${begun.push(name)}`)
      }
      await expect(migratePostgres({ connectionString, onStep })).rejects.toThrow(/killed before/)
      expect((await migrationStatus({ connectionString })).pending).toEqual(names.slice(names.indexOf(name)))
    }
    await migratePostgres({ connectionString })
    expect(await shape(connectionString)).toEqual(made)
    expect(await rowsOf(connectionString)).toEqual(filled)
  })

  it('goes on after the server cut its connections within a step', async () => {
    const names = (await migrationStatus({ connectionString: at('old') })).pending
    for (const name of soak.sample(names, { part: 1, of: 6 })) {
      const connectionString = await oldStore()
      const cut = (step: string) => {
        if (step !== name) return
        const database = new URL(connectionString).pathname.slice(1)
        void admin.get().query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database])
      }
      // The cut may come too late for the last step.
      await migratePostgres({ connectionString, onStep: cut }).catch(() => undefined)
      await migratePostgres({ connectionString })
      expect(await shape(connectionString)).toEqual(made)
      expect(await rowsOf(connectionString)).toEqual(filled)
    }
  })

  it('leaves what it does to another one if its lock is lost within a step, and both leave nothing behind', async () => {
    const names = (await migrationStatus({ connectionString: at('old') })).pending.filter((name) =>
      name.includes('index'),
    )
    for (const name of soak.sample(names, { part: 1, of: 8 })) {
      const connectionString = await oldStore()
      const busy = new pg.Client(connectionString)
      await busy.connect()
      const watched = `SELECT FROM pg_stat_activity WHERE datname = '${new URL(connectionString).pathname.slice(1)}'
        AND query LIKE '%INDEX CONCURRENTLY %' AND wait_event_type = 'Lock'`
      const waiting = (count: number) => async () => (await admin.get().query(watched)).rowCount === count
      const onStep = async (step: string) => {
        if (step !== name) return
        const { rows } = await busy.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)
        const tables = rows.map(({ tablename }) => `${schema}.${tablename}`)
        // An index build waits for the end of this transaction, whichever table it is of.
        await busy.query(`BEGIN; LOCK TABLE ${tables} IN ROW EXCLUSIVE MODE`)
      }
      const first = expect(migratePostgres({ connectionString, onStep })).rejects.toThrow(
        /held the lock of this migration is gone/,
      )
      await until(waiting(1))
      await busy.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE d.datname = current_database() AND l.locktype = 'advisory'`,
      )
      const second = migratePostgres({ connectionString })
      await until(waiting(2))
      await busy.query('COMMIT')
      await busy.end()
      await first
      expect((await second).steps).toContain(name)
      expect(await shape(connectionString)).toEqual(made)
      expect(await rowsOf(connectionString)).toEqual(filled)
    }
  })

  it('makes its own functions if it goes on after an earlier build made those of its version', async () => {
    const connectionString = await oldStore()
    const onStep = (step: string) => {
      if (step === 'readers of requests') throw new Error('killed')
    }
    await expect(migratePostgres({ connectionString, onStep })).rejects.toThrow('killed')
    await query(
      connectionString,
      `DROP FUNCTION ${schema}.append_all;
       UPDATE ${schema}.holdpoint_steps SET name = replace(name, '${SCHEMA_VERSION}', '${SCHEMA_VERSION - 1}')`,
    )
    await migratePostgres({ connectionString })
    expect(await shape(connectionString)).toEqual(made)
  })

  it('is not cut short by the limits that the server has for statements', async () => {
    const connectionString = await oldStore()
    const database = new URL(connectionString).pathname.slice(1)
    await query(
      connectionString,
      `ALTER DATABASE ${database} SET statement_timeout = 250; ALTER DATABASE ${database} SET lock_timeout = 250`,
    )
    const holder = new pg.Client(connectionString)
    await holder.connect()
    const onStep = async (step: string) => {
      if (step !== 'version 4: index requests_queue') return
      // The build waits for whoever has written the table before.
      await holder.query(`BEGIN; DELETE FROM ${schema}.requests WHERE false`)
      setTimeout(() => void holder.end(), 1000)
    }
    await migratePostgres({ connectionString, onStep })
    expect(await shape(connectionString)).toEqual(made)
  })

  it('builds an index again whose build was interrupted', async () => {
    const connectionString = await oldStore()
    const onStep = (step: string) => {
      if (step === 'version 4: index requests_queue') throw new Error('killed')
    }
    await expect(migratePostgres({ connectionString, onStep })).rejects.toThrow('killed')
    await query(
      connectionString,
      `CREATE INDEX requests_queue_next ON ${schema}.requests (kind);
       UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${schema}.requests_queue_next'::regclass`,
    )
    await migratePostgres({ connectionString })
    expect(await shape(connectionString)).toEqual(made)
  })

  it('waits for another one and then has nothing to do; the status shows who works', async () => {
    const connectionString = await oldStore()
    const store = unsyncedPostgres({ connectionString, timeoutMs: 30_000 })
    const seen: unknown[] = []
    let reading: Promise<unknown> | undefined
    const onStep = async (step: string) => {
      // A store that opens while a migration works waits too, and holds nothing up.
      reading ??= store.read('a')
      if (step === functions) seen.push(await migrationStatus({ connectionString }))
    }
    const both = await Promise.all([
      migratePostgres({ connectionString, onStep }),
      migratePostgres({ connectionString, onStep }),
    ])
    await reading
    await store.close()
    expect(both.map(({ steps }) => steps.length > 0).sort()).toEqual([false, true])
    expect(seen).toMatchObject([{ holder: { application: 'holdpoint migrate' } }])
    expect(await migrationStatus({ connectionString })).toEqual({
      version: SCHEMA_VERSION,
      needed: SCHEMA_VERSION,
      oldest: 3,
      pending: [],
      holder: null,
    })
  })

  it('is waited for without an open transaction, for whose end its index builds might wait', async () => {
    const connectionString = await oldStore()
    const holder = new pg.Client(connectionString)
    await holder.connect()
    await holder.query(`BEGIN; ${lockSchema(schema)}`)
    const store = unsyncedPostgres({ connectionString, timeoutMs: 60_000 })
    const waiting = Promise.all([store.read('a'), migratePostgres({ connectionString })])
    const waiters = (older: string) =>
      query(
        connectionString,
        `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'holdpoint%'
         AND query ~ 'pg_try_advisory|ROLLBACK' ${older}`,
      )
    await expect.poll(() => waiters(''), { interval: 10 }).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await waiters(`AND xact_start < now() - interval '1 second'`)).toEqual([])
    await holder.end()
    await waiting
    await store.close()
  })

  it('can be watched without a failure until it has ended', async () => {
    const connectionString = await oldStore()
    const migrating = migratePostgres({ connectionString })
    const watch = async (): Promise<void> => {
      while ((await migrationStatus({ connectionString })).pending.length > 0);
    }
    await Promise.all([migrating, ...Array.from({ length: 8 }, watch)])
  })

  it('gives way to a transaction that holds a table, so that others do not queue behind it', async () => {
    const connectionString = await oldStore()
    const holder = new pg.Client(connectionString)
    await holder.connect()
    await holder.query(`BEGIN; SELECT * FROM ${schema}.requests`)
    const working = migratePostgres({ connectionString, lockTimeoutMs: 50 })
    const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schema}.requests'::regclass`
    await expect.poll(() => query(connectionString, waits), { interval: 10 }).toHaveLength(1)
    // It waits again and again, and between its waits nobody is held up.
    await expect.poll(() => query(connectionString, waits), { interval: 10 }).toHaveLength(0)
    await holder.query('COMMIT')
    await holder.end()
    await working
    expect(await shape(connectionString)).toEqual(made)
  })

  it('lets the previous build serve at every step, and misses nothing that it writes', async () => {
    const connectionString = await oldStore()
    const old: Previous = await previous(`${connectionString}#${schema}`)
    const opened: string[] = [asked]
    let n = 0
    for (;;) {
      const before = (await migrationStatus({ connectionString })).pending[0]
      if (before === undefined) break
      opened.push(await old('open', { threadId: `during-${n++}`, ask: { reviewers: ['bob'] } }))
      expect(await old('list')).toContain(opened.at(-1))
      let steps = 0
      const onStep = () => {
        if (++steps > soak.times(4, 1)) throw new Error('enough')
      }
      await migratePostgres({ connectionString, onStep }).catch((error: Error) =>
        expect(error.message).toMatch('enough'),
      )
    }
    expect(await old('decide', { request: asked })).toBe('decided')
    await old('close')
    const store = unsyncedPostgres({ connectionString, create: false })
    const { requests } = await store.findRequests({ readers: ['user:bob'] })
    expect(requests.map(({ id }) => id).sort()).toEqual(opened.slice(1).sort())
    await store.close()
    expect(
      await query(connectionString, `SELECT id FROM ${schema}.requests WHERE changed_at = 0 OR readers IS NULL`),
    ).toEqual([])
  })
})

describe('a store that may not change its tables', () => {
  it('refuses tables that are too old, and says what to do', async () => {
    const connectionString = await oldStore()
    const store = unsyncedPostgres({ connectionString, create: false })
    const refusal = { name: 'StoreOutdated', code: 'store_outdated', message: /version 3.*needs.*holdpoint migrate/ }
    await expect(store.append({ threadId: 't', entries: [entry(1)] })).rejects.toMatchObject(refusal)
    await migratePostgres({ connectionString })
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true })
    await store.close()
  })

  it('so does every store while a migration is unfinished', async () => {
    const connectionString = await oldStore()
    const onStep = (step: string) => {
      if (step === functions) throw new Error('killed')
    }
    await expect(migratePostgres({ connectionString, onStep })).rejects.toThrow('killed')
    const store = unsyncedPostgres({ connectionString })
    await expect(store.read('a')).rejects.toMatchObject({ name: 'StoreOutdated' })
    await migratePostgres({ connectionString })
    expect((await store.read('a')).version).toBeGreaterThan(0)
    await store.close()
  })
})

it('the command shows what is pending, does it, and shows that nothing is', async () => {
  const store = ['--store', await oldStore()]
  const before = holdpoint(tempDir(), ['migrate', '--status', ...store])
  expect(before).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/version 3; this build needs \d[\s\S]*Pending:\n {2}version 4/),
  })
  expect(holdpoint(tempDir(), ['migrate', ...store])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('functions …'),
  })
  const after = holdpoint(tempDir(), ['migrate', '--status', '--json', ...store])
  expect(JSON.parse(after.stdout)).toMatchObject({ version: SCHEMA_VERSION, oldest: 3, pending: [], holder: null })
  expect(after.code).toBe(0)
})
