import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { entry, giving, grantRow, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { type Explained, type ExplainingPool, explainingPool } from '../../support/servers/explained.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

/** Requests that are there while plans are made, and in the end. */
const FEW = 40
const MANY = 6000

/**
 * Statistics are never gathered here: plans are made for empty tables, kept by connections and functions, and met by more and more rows. What is
 * counted is pages, not time.
 */
const server = usePostgres()
const schema = freshSchema()
let explaining: ExplainingPool
let store: Store
let opened = 0

beforeAll(async () => {
  explaining = explainingPool(server.get().connectionString)
  store = unsyncedPostgres({ pool: explaining.pool, schema })
  await store.read('t')
  const { rows } = await explaining.pool.query(
    `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'`,
  )
  for (const { relname } of rows)
    await explaining.pool.query(`ALTER TABLE ${schema}.${relname} SET (autovacuum_enabled = off)`)
})
afterAll(async () => {
  await store.close()
  await explaining.pool.end()
})

/** Opens a request in a thread of its own, which is to be driven. */
async function open(where = store): Promise<void> {
  const n = ++opened
  const row = requestRow(n, { expiresAt: 1e12 + n })
  const requests = [{ op: 'open', entry: 0, row }] as const
  const wake = { op: 'by', inMs: 0 } as const
  expect(await where.append({ threadId: `t${n}`, entries: [entry(n)], requests, wake })).toMatchObject({ ok: true })
}

/** Opens many through other connections, and gives grants of another tenant. */
async function fill(count: number): Promise<void> {
  const filler = unsyncedPostgres({ connectionString: server.get().connectionString, schema })
  for (let done = 0; done < count; done += 500) await Promise.all(Array.from({ length: 500 }, () => open(filler)))
  const other = filler.tenant('other')
  await Promise.all(Array.from({ length: 1500 }, (_, n) => other.append(giving(`t${n}`, grantRow(n)))))
  await filler.close()
}

const decide = (n: number) => ({ op: 'change', entry: 0, id: requestId(n), from: 1, status: 'decided' }) as const

/** Each way to the store that is taken often. `n` is a number that was not used before. */
const WAYS: Record<string, (n: number) => Promise<unknown>> = {
  'append to a new thread': (n) =>
    store.append({ threadId: `new ${n}`, entries: [entry(n)], wake: { op: 'by', inMs: 0 } }),
  'append that opens a request': () => open(),
  'append that decides': (n) => store.append({ threadId: `t${n}`, entries: [entry(n)], requests: [decide(n)] }),
  'appends of a batch': (n) =>
    Promise.all([0, 1, 2, 3].map((i) => store.append({ threadId: `batch ${n} ${i}`, entries: [entry(n)] }))),
  lease: (n) => store.renewLease(`t${n}`, { holder: 'me', token: 1, ttlMs: 1000 }),
  load: (n) => store.read(`t${n}`),
  'loads of a batch': (n) => Promise.all([0, 1, 2, 3, 4, 5].map((i) => store.read(`t${n + i}`))),
  head: (n) => store.readHead(`t${n}`),
  'one request': (n) => store.getRequest(requestId(n)),
  'list of open requests': () => store.findRequests({ status: 'open', limit: 20 }),
  'list by tool': () => store.findRequests({ status: 'open', tool: 'refund', limit: 20 }),
  'list by agent': () => store.findRequests({ status: 'open', agent: 'support', limit: 20 }),
  'list of a thread': (n) => store.findRequests({ threadId: `t${n}` }),
  'list of decided requests': () => store.findRequests({ status: 'decided', limit: 20 }),
  due: () => store.due({ limit: 20 }),
  'count of open requests': () => store.countRequests({ status: 'open' }, { limit: 30 }),
  ready: () => store.ready({ limit: 20 }),
  outbox: async () => store.outbox({ after: (await store.outbox()).end, limit: 20 }),
  'outbox from the start': () => store.outbox({ after: '', limit: 20 }),
  threads: () => store.threads({ limit: 20 }),
  record: async (n) => {
    await store.writeRecords([{ op: 'put', kind: 'k', id: `r${n}`, value: '1' }])
    await store.readRecord('k', `r${n}`)
  },
  records: () => store.findRecords({ kind: 'k', limit: 20 }),
  grants: () =>
    store.findGrants({ reach: { threadId: 't1', run: 'r', agents: ['support'], tools: ['refund'] }, limit: 20 }),
  'grants of a batch': () => Promise.all([0, 1, 2, 3, 4, 5].map((i) => store.tenant(`without ${i}`).findGrants({}))),
}

/** A table with one row. */
const TINY = ['outbox_pruned', 'holdpoint_store']

function scans(statements: readonly Explained[]): string[] {
  return statements.flatMap(({ sql, nodes }) =>
    nodes
      .filter((node) => node['Node Type'].includes('Seq Scan') && !TINY.includes(node['Relation Name'] ?? ''))
      .map((node) => `${node['Node Type']} on ${node['Relation Name']}: ${sql}`),
  )
}

function pagesOf(statements: readonly Explained[]): number {
  return Math.max(...statements.map(({ pages }) => pages))
}

/** Of several times: the server reads its catalogue again now and then, which has nothing to do with the statement. */
async function fewest(way: (n: number) => Promise<unknown>, from: number): Promise<number> {
  const pages: number[] = []
  for (let n = from; n < from + 3; n++) pages.push(pagesOf(await explaining.explain(() => way(n))))
  return Math.min(...pages)
}

describe('a database that grows from its first row, without statistics', () => {
  const early = new Map<string, number>()
  const late = new Map<string, number>()
  const scanned: string[] = []
  const used = new Map<string, readonly Explained[]>()

  beforeAll(async () => {
    // More than five times, so that the connection and the functions keep general plans.
    for (let round = 1; round <= 8; round++) for (const way of Object.values(WAYS)) await way(round)
    while (opened < FEW) await open()
    for (const [name, way] of Object.entries(WAYS)) early.set(name, await fewest(way, 20))
    await fill(MANY)
    // Reads leave hints on pages that are new; the first of them pays for it.
    await explaining.pool.query(
      `SELECT count(*) FROM ${schema}.requests, ${schema}.threads WHERE requests.thread = threads.no`,
    )
    for (const [name, way] of Object.entries(WAYS)) {
      late.set(name, await fewest(way, opened - 20))
      const statements = await explaining.explain(() => way(opened - 5))
      scanned.push(...scans(statements).map((scan) => `${name}: ${scan}`))
      used.set(name, statements)
    }
  })

  it('has no sequential scan on a hot path', () => {
    expect(late.size).toBe(Object.keys(WAYS).length)
    expect(scanned).toEqual([])
  })

  it.each(Object.keys(WAYS))('%s looks at no more pages than with few rows', (name) => {
    const [few, many] = [early.get(name)!, late.get(name)!]
    // A page of twenty looks each row up elsewhere, where few rows need one look for all.
    expect(many, `${few} pages with ${FEW} requests, ${many} with ${opened}`).toBeLessThanOrEqual(few * 2 + 80)
  })

  it.each([
    ['the threads of readers', () => store.threadsOf({ limit: 20 })],
    ['requests by their last change', () => store.findRequests({ order: 'changed', limit: 20 })],
  ])('lists %s in order, once the server has gathered statistics', async (_, list) => {
    await explaining.pool.query(`ANALYZE ${schema}.requests`)
    const statements = await explaining.explain(list)
    expect(scans(statements)).toEqual([])
    expect(pagesOf(statements)).toBeLessThan(500)
  })

  it('looks at the oldest rows of the outbox for what can be deleted, and at no others', async () => {
    await fill(MANY)
    await store.writeRecords(
      Array.from({ length: 500 }, (_, n) => ({ op: 'put', kind: 'm', id: `r${n}`, value: '1', ttlMs: 1e9 }) as const),
    )
    for (const table of ['outbox', 'records']) await explaining.pool.query(`ANALYZE ${schema}.${table}`)
    const statements = await explaining.explain(() => store.prune({ outboxMs: 1e9 }))
    expect(scans(statements)).toEqual([])
    expect(pagesOf(statements)).toBeLessThan(1500)
  })

  /** The nodes that read a table on one of the ways. */
  const readsOf = (way: string, table: string) =>
    (used.get(way) ?? []).flatMap(({ nodes }) => nodes).filter((node) => node['Relation Name'] === table)

  it('finds a request by the primary key', () => {
    expect(readsOf('one request', 'requests')).toMatchObject([{ 'Index Name': 'requests_pkey' }])
  })

  it('finds the threads to drive, and the time of the next one, by the index of wake marks', () => {
    const index = { 'Index Name': 'threads_wake' }
    expect(readsOf('ready', 'threads')).toMatchObject([index, index])
  })
})
