import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { roleScript } from '../../../src/store/postgres/migrate/role.ts'
import { migrations } from '../../../src/store/postgres/tables/schema.ts'
import { storeConformance } from '../../../src/testing/store-suite/conformance.ts'
import type { StoreCase, StoreHarness } from '../../../src/testing/store-suite/store-case.ts'
import { entry, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, useAdmin, usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { describeConformance } from '../conformance.ts'
import { postgresHarness } from './harness.ts'

const server = usePostgres()
const admin = useAdmin(server)
const as = (role: string) => server.get().connectionString.replace('postgres:not-a-secret-but', role)

/** Makes the tables as their owner, and a role for them that logs in. */
async function prepare(schema: string, roles: Record<string, string | undefined>, erase = false): Promise<void> {
  await admin.get().query(migrations(schema))
  for (const [role, tenant] of Object.entries(roles)) {
    await admin.get().query(roleScript({ role, schema, erase, ...(tenant === undefined ? {} : { tenant }) }))
    await admin.get().query(`ALTER ROLE ${role} LOGIN`)
  }
}

async function withClient<T>(role: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(as(role))
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}

let named = ''
/** Rows are tampered with as the owner of the tables: the role could not. */
function harnessAs(role: string, erase: boolean): StoreHarness {
  const harness = postgresHarness((options) => {
    if (options.schema === undefined) return { ...options, connectionString: server.get().connectionString }
    named = options.schema
    return { ...options, connectionString: as(role), create: false }
  })
  return {
    ...harness,
    async create(more) {
      const store = await harness.create(more)
      await prepare(named, { [role]: undefined }, erase)
      return store
    },
  }
}
/** Also what becomes of snapshots when their thread is erased (C4). */
const isErasing = ({ guarantee }: StoreCase) => guarantee.startsWith('E') || guarantee === 'C4'
describeConformance(
  'the Postgres store, as a role with few rights',
  harnessAs('least', false),
  soak.sample(
    storeConformance.filter((each) => !isErasing(each)),
    { part: 5, of: 12 },
  ),
)
describeConformance(
  'the Postgres store, as a role that may erase',
  harnessAs('eraser', true),
  soak.sample(storeConformance.filter(isErasing), { part: 1, of: 2 }),
)

describe('a role with few rights', () => {
  const schema = freshSchema()
  beforeAll(() => prepare(schema, { few: undefined }))

  it.each([
    ['make tables', `CREATE TABLE ${schema}.mine (a int)`],
    ['make functions', `CREATE FUNCTION ${schema}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
    ['change tables', `ALTER TABLE ${schema}.threads ADD COLUMN mine int`],
    ['drop tables', `DROP TABLE ${schema}.voided`],
    ['turn triggers off', `ALTER TABLE ${schema}.requests DISABLE TRIGGER ALL`],
    ['change entries', `UPDATE ${schema}.entries SET body = ''`],
    ['delete entries', `DELETE FROM ${schema}.entries`],
    ['delete threads', `DELETE FROM ${schema}.threads`],
    ['empty tables', `TRUNCATE ${schema}.outbox`],
    ['change the version', `UPDATE ${schema}.holdpoint_store SET version = 1`],
    ['read other schemas', 'SELECT * FROM other_application.secrets'],
    ['make schemas', 'CREATE SCHEMA mine'],
    ['make roles', 'CREATE ROLE mine'],
  ])('cannot %s', async (_, sql) => {
    await admin
      .get()
      .query(
        `CREATE SCHEMA IF NOT EXISTS other_application; CREATE TABLE IF NOT EXISTS other_application.secrets (a int)`,
      )
    await withClient('few', (client) => expect(client.query(sql)).rejects.toMatchObject({ code: '42501' }))
  })

  it('goes on with a build of the version before, until its script was run again after the migration', async () => {
    await admin.get().query(`${roleScript({ role: 'former', schema })} ALTER ROLE former LOGIN`)
    await admin.get().query(`REVOKE ALL ON ${schema}.chunks FROM former`)
    const store = unsyncedPostgres({ connectionString: as('former'), schema, create: false })
    await store.append({ threadId: 'f', entries: [entry('f')] })
    const snapshot = { fold: 2, body: 'of that build' }
    expect(await store.append({ threadId: 'f', version: 1, entries: [entry('g')], snapshot })).toMatchObject({
      ok: true,
    })
    expect(await store.read('f', { snapshot: 2 })).toMatchObject({ snapshot: { version: 1, body: snapshot.body } })
    await store.close()
  })

  it('of one tenant cannot erase, which is recorded for all tenants', () => {
    expect(() => roleScript({ role: 'few', tenant: 'acme', erase: true })).toThrow(/role of one tenant cannot erase/)
  })

  it('can be made again, and is named by letters', async () => {
    await admin.get().query(roleScript({ role: 'few', schema }))
    expect(() => roleScript({ role: 'a"b' })).toThrow(/role is named/)
    expect(() => roleScript({ role: 'a', tenant: '' })).toThrow()
  })
})

describe('a role of one tenant', () => {
  const schema = freshSchema()
  const TABLES = ['threads', 'entries', 'requests', 'grants', 'records', 'outbox', 'snapshots', 'chunks']

  beforeAll(async () => {
    await prepare(schema, { service: undefined, only_a: 'a', only_b: 'b' })
    const store = unsyncedPostgres({ connectionString: as('service'), schema, create: false })
    for (const [n, tenant] of ['a', 'b'].entries()) {
      const view = store.tenant(tenant)
      const requests = [{ op: 'open', entry: 0, row: requestRow(n + 1) }] as const
      const records = [{ op: 'put', kind: 'k', id: 'r', value: tenant, expect: 0 }] as const
      expect(await view.append({ threadId: 't', entries: [entry(tenant)], requests, records })).toMatchObject({
        ok: true,
      })
      const chunks = { first: 1, bodies: [tenant] }
      await view.append({ threadId: 't', version: 1, entries: [], snapshot: { fold: 1, body: tenant, chunks } })
    }
    await store.close()
  })

  it('has a policy on every table that has a tenant or a thread', async () => {
    const { rows } = await admin.get().query(
      `SELECT DISTINCT c.table_name AS name, p.policyname IS NOT NULL AS has FROM information_schema.columns c
       LEFT JOIN pg_policies p ON p.schemaname = c.table_schema AND p.tablename = c.table_name AND p.policyname = 'only_a'
       WHERE c.table_schema = $1 AND c.column_name IN ('tenant', 'thread')`,
      [schema],
    )
    // `threads` has its own number.
    expect(rows.map(({ name }) => name).sort()).toEqual([...TABLES].sort())
    expect(rows.every(({ has }) => has)).toBe(true)
  })

  it('reads only its own rows, whatever SQL it sends', async () => {
    await withClient('only_a', async (client) => {
      for (const table of TABLES.filter((name) => !['entries', 'grants', 'snapshots', 'chunks'].includes(name))) {
        const { rows } = await client.query(`SELECT DISTINCT tenant FROM ${schema}.${table}`)
        expect([table, rows]).toEqual([table, [{ tenant: 'a' }]])
      }
      const { rows } = await client.query(`SELECT body FROM ${schema}.entries`)
      expect(rows).toEqual([{ body: entry('a') }])
      for (const table of ['snapshots', 'chunks']) {
        const { rows: own } = await client.query(`SELECT body FROM ${schema}.${table}`)
        expect([table, own]).toEqual([table, [{ body: 'a' }]])
      }
      await expect(client.query(`SET row_security = off; SELECT * FROM ${schema}.threads`)).rejects.toMatchObject({
        code: '42501',
      })
    })
    const all = await withClient('service', (client) =>
      client.query(`SELECT DISTINCT tenant FROM ${schema}.threads ORDER BY 1`),
    )
    expect(all.rows).toEqual([{ tenant: 'a' }, { tenant: 'b' }])
  })

  it.each([
    [
      'a thread',
      `INSERT INTO ${schema}.threads (tenant, id, rev, version, at, head, lease_token, lease_until) VALUES ('b', 'x', 1, 0, 0, '', 0, 0)`,
    ],
    [
      'an entry',
      `INSERT INTO ${schema}.entries (thread, seq, at, body, salt, hash) SELECT generate_series(1, 9), 99, 0, '', '', ''`,
    ],
    [
      'a record',
      `INSERT INTO ${schema}.records (tenant, kind, id, version, at, value) VALUES ('b', 'k', 'x', 1, 0, '')`,
    ],
    ['its own thread as theirs', `UPDATE ${schema}.threads SET tenant = 'b'`],
    [
      'a request, by the function',
      `SELECT ${schema}.write_records('b', 'x', 0, false, '[{"op":"put","kind":"k","id":"n","value":"1","expect":0}]', 1000)`,
    ],
  ])('cannot write %s of another tenant', async (_, sql) => {
    await withClient('only_a', (client) => expect(client.query(sql)).rejects.toMatchObject({ code: '42501' }))
  })

  it('changes and deletes no row of another tenant', async () => {
    await withClient('only_a', async (client) => {
      expect((await client.query(`UPDATE ${schema}.requests SET status = 'decided' WHERE tenant = 'b'`)).rowCount).toBe(
        0,
      )
      expect((await client.query(`DELETE FROM ${schema}.records WHERE tenant = 'b'`)).rowCount).toBe(0)
      expect((await client.query(`UPDATE ${schema}.threads SET version = 9 WHERE tenant <> 'a'`)).rowCount).toBe(0)
    })
  })

  it('runs a store of its tenant, to which the others are absent', async () => {
    const store = unsyncedPostgres({ connectionString: as('only_b'), schema, create: false })
    const view = store.tenant('b')
    const decided = { op: 'change', entry: 0, id: requestId(2), from: 1, status: 'decided' } as const
    expect(await view.append({ threadId: 't', entries: [entry(2)], requests: [decided] })).toMatchObject({
      ok: true,
      version: 2,
    })
    expect((await view.read('t')).entries).toHaveLength(2)
    await view.append({ threadId: 't', version: 2, entries: [], snapshot: { fold: 1, body: 'newer' } })
    expect(await view.read('t', { snapshot: 1 })).toMatchObject({
      snapshot: { version: 2, body: 'newer' },
      entries: [],
    })
    expect((await view.findRequests({})).requests.map(({ id }) => id)).toEqual([requestId(2)])
    expect((await store.threads()).threads).toEqual([{ tenantId: 'b', threadId: 't' }])
    expect((await store.outbox({ after: '' })).rows.map(({ tenantId }) => tenantId)).toEqual(['b', 'b'])
    expect(await store.tenant('a').getRequest(requestId(1))).toBeUndefined()
    expect((await store.tenant('a').read('t')).version).toBe(0)
    await expect(store.tenant('a').append({ threadId: 'new', entries: [entry(1)] })).rejects.toMatchObject({
      name: 'StoreFailed',
    })
    await store.close()
  })
})

describe('a role of one tenant, at entries', () => {
  const schema = freshSchema()
  const LONG = 300
  const bodies = (from: number) => Array.from({ length: LONG }, (_, n) => entry(from + n))

  /** Loads a thread on a connection that the test can reach, and explains the statement of that load. */
  async function explainLoad(connectionString: string, threadId: string) {
    const pool = new pg.Pool({ connectionString, max: 1 })
    // Its connection may still be closing when the server is stopped.
    pool.on('error', () => undefined)
    const store = unsyncedPostgres({ pool, schema, create: false })
    try {
      const { entries } = await store.tenant('a').read(threadId)
      const { rows: kept } = await pool.query(
        `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%string_agg%'`,
      )
      const { rows } = await pool.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE "${kept[0].name}"('a', '${threadId}', 0, NULL, false, 0, false)`,
      )
      return { count: entries.length, plan: rows[0]['QUERY PLAN'][0].Plan as PlanNode }
    } finally {
      await store.close()
      await pool.end()
    }
  }

  beforeAll(async () => {
    await admin.get().query(migrations(schema))
    const store = unsyncedPostgres({ connectionString: server.get().connectionString, schema, create: false })
    for (const tenant of ['a', 'b']) await store.tenant(tenant).append({ threadId: 'old', entries: bodies(0) })
    for (const [role, tenant] of Object.entries({ bound_a: 'a', bound_b: 'b' })) {
      await admin.get().query(roleScript({ role, schema, tenant }))
      // More than it is given, so that the policies alone stand in its way.
      await admin.get().query(`GRANT UPDATE ON ${schema}.entries TO ${role}; ALTER ROLE ${role} LOGIN`)
    }
    for (const tenant of ['a', 'b']) await store.tenant(tenant).append({ threadId: 'new', entries: bodies(0) })
    await store.close()
    await admin.get().query('ANALYZE')
  })

  it('loads a long thread by the index, without a look at the thread for each entry', async () => {
    const bound = await explainLoad(as('bound_a'), 'new')
    const owner = await explainLoad(server.get().connectionString, 'new')
    expect([bound.count, owner.count]).toEqual([LONG, LONG])
    const nodes = nodesOf(bound.plan)
    expect(nodes.filter((node) => node['Index Name'] === 'entries_thread')).toHaveLength(3)
    const looks = nodes.filter((node) => node['Relation Name'] === 'threads' && node['Actual Loops'] !== 0)
    expect(looks.map((look) => look['Actual Loops'])).toEqual([1])
    expect(pagesOf(bound.plan) - pagesOf(owner.plan)).toBeLessThan(10)
  })

  it('reads its entries, and no others, whether they are older than the role or not', async () => {
    for (const [role, tenant, other] of [
      ['bound_a', 'a', 'b'],
      ['bound_b', 'b', 'a'],
    ] as const) {
      const store = unsyncedPostgres({ connectionString: as(role), schema, create: false })
      for (const threadId of ['old', 'new']) {
        expect((await store.tenant(tenant).read(threadId)).entries).toHaveLength(LONG)
        expect((await store.tenant(other).read(threadId)).entries).toEqual([])
      }
      // A thread that is older than the role goes on.
      expect(await store.tenant(tenant).append({ threadId: 'old', entries: [] })).toMatchObject({ ok: true })
      await store.close()
      const { rows } = await withClient(role, (client) =>
        client.query(`SELECT count(*)::int AS entries FROM ${schema}.entries`),
      )
      expect(rows).toEqual([{ entries: 2 * LONG }])
    }
  })

  it('cannot give an entry to another tenant, nor take one from it', async () => {
    const counts = async () =>
      (
        await admin
          .get()
          .query(
            `SELECT t.tenant, e.tenant AS given, count(*)::int FROM ${schema}.entries e JOIN ${schema}.threads t ON t.no = e.thread GROUP BY 1, 2 ORDER BY 1, 2`,
          )
      ).rows
    const before = await counts()
    const { rows: theirs } = await admin
      .get()
      .query(`SELECT no FROM ${schema}.threads WHERE tenant = 'b' AND id = 'new'`)
    const { rows: own } = await admin.get().query(`SELECT no FROM ${schema}.threads WHERE tenant = 'a' AND id = 'new'`)
    const insert = `INSERT INTO ${schema}.entries (thread, seq, at, body, salt, hash, tenant) VALUES`
    await withClient('bound_a', async (client) => {
      for (const tenant of ["'a'", "'b'", 'NULL']) {
        await expect(client.query(`${insert} (${theirs[0].no}, 999, 0, '', '', '', ${tenant})`)).rejects.toMatchObject({
          code: '42501',
        })
      }
      await expect(client.query(`UPDATE ${schema}.entries SET thread = ${theirs[0].no}, seq = 999`)).rejects.toThrow()
      // Whatever it says, the entry stays with the tenant of its thread.
      await client.query(`UPDATE ${schema}.entries SET tenant = 'b' WHERE thread = ${own[0].no}`)
      expect((await client.query(`UPDATE ${schema}.entries SET body = '' WHERE tenant = 'b'`)).rowCount).toBe(0)
    })
    expect(await counts()).toEqual(before)
  })
})

interface PlanNode extends Record<string, unknown> {
  Plans?: PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function pagesOf(node: PlanNode): number {
  return Number(node['Shared Hit Blocks']) + Number(node['Shared Read Blocks'])
}
