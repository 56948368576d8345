import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lease, Store } from '../../../../src/ports/store.ts'
import { entry, soon } from '../../../../src/testing/store-suite/tools.ts'
import { startProxy, type TcpProxy } from '../../../support/servers/tcp-proxy.ts'
import { freshSchema, usePostgres } from '../../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../../support/stores/unsynced-postgres.ts'

/** How long the store under test waits for an answer. */
const TIMEOUT_MS = 400
/** An append waits once for its own answer, and once to find out what became of it. */
const IN_TIME_MS = 2 * TIMEOUT_MS + 3000
/** The server gives up a lock after four fifths of the timeout. On a busy machine its answer needs more than a fifth of a short one to be read. */
const LOCK_TIMEOUT_MS = 3000

const server = usePostgres()
const auditKey = { id: 'k1', secret: 'a secret for tests' }
let proxy: TcpProxy
let other: Store
let schema = ''
const opened: Store[] = []

function open(options: { auditKey?: typeof auditKey; timeoutMs?: number } = {}): Store {
  const connectionString = server.get().connectionString.replace(`:${server.get().port}/`, `:${proxy.port}/`)
  const store = unsyncedPostgres({
    connectionString,
    schema,
    timeoutMs: TIMEOUT_MS,
    ...options,
  })
  opened.push(store)
  return store
}

beforeEach(async () => {
  schema = freshSchema()
  proxy = await startProxy(server.get().port)
  other = unsyncedPostgres({ connectionString: server.get().connectionString, schema })
  opened.push(other)
  // The tables are made by a store that has the time for that.
  await other.read('t')
})
afterEach(async () => {
  proxy.silence(false)
  await Promise.all(opened.splice(0).map((store) => store.close()))
  await proxy.close()
})

const bodies = async () => (await other.read('t')).entries.map(({ body }) => body)

/** What came of it, and that it came in time. */
async function inTime<T>(work: Promise<T>): Promise<T | Error> {
  const began = performance.now()
  const outcome = await soon(work.catch((error: Error) => error))
  expect(performance.now() - began).toBeLessThan(IN_TIME_MS)
  return outcome
}

describe('a connection that swallows everything', () => {
  it('before the server sees an append: it fails in time, is declared void, and is not stored however late it arrives', async () => {
    const store = open()
    await store.append({ threadId: 't', entries: [entry(1)] })
    const lost = proxy.cutAt('the one', 'swallow')
    const outcome = await inTime(store.append({ threadId: 't', entries: [entry('the one')] }))
    expect(outcome).toMatchObject({ code: 'store_failed', message: expect.stringContaining('nothing of it is stored') })
    await lost.letThrough()
    expect(await bodies()).toEqual([entry(1)])
  })

  it.each([
    ['unsigned', {}],
    ['signed', { auditKey }],
  ])('after the server did an append (%s): it is found to be stored', async (_, options) => {
    const store = open(options)
    await store.append({ threadId: 't', entries: [entry(1)] })
    const lost = proxy.cutAt('auditKey' in options ? 'COMMIT' : 'the one', 'swallow-answer')
    const outcome = await inTime(store.append({ threadId: 't', entries: [entry('the one')] }))
    await lost.happened
    expect(outcome).toMatchObject({ ok: true, version: 2 })
    expect(await bodies()).toEqual([entry(1), entry('the one')])
    expect((await store.read('t')).version).toBe(2)
  })

  it('for as long as nobody can be asked: whether the append happened is found out before anything else is done', async () => {
    const store = open()
    await store.append({ threadId: 't', entries: [entry(1)] })
    const lost = proxy.cutAt('the one', 'swallow')
    const append = inTime(store.append({ threadId: 't', entries: [entry('the one')] }))
    await lost.happened
    proxy.silence(true)
    expect(await append).toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('it is unknown whether it is stored'),
    })
    expect(await inTime(store.append({ threadId: 't', entries: [entry('no')] }))).toMatchObject({
      code: 'store_failed',
    })
    proxy.silence(false)
    expect(await store.append({ threadId: 't', entries: [entry('next')] })).toMatchObject({ ok: true, version: 2 })
    await lost.letThrough()
    expect(await bodies()).toEqual([entry(1), entry('next')])
  })

  it('lets reading, finding, renewing and closing fail in time, and new connections too', async () => {
    const store = open()
    const { lease } = (await store.append({
      threadId: 't',
      entries: [entry(1)],
      lease: { op: 'take', holder: 'a', ttlMs: 60_000 },
    })) as { lease: Lease }
    proxy.silence(true)
    const late = open()
    const outcomes = await Promise.all(
      [store.read('t'), store.findRequests({}), store.renewLease('t', { ...lease, ttlMs: 60_000 }), late.read('t')].map(
        (work) => inTime<unknown>(work),
      ),
    )
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'store_failed' })
    await inTime(store.close())
  })

  it('in a pool that was passed in is noticed as well', async () => {
    const pool = new pg.Pool({
      host: '127.0.0.1',
      port: proxy.port,
      user: 'postgres',
      database: 'postgres',
      connectionTimeoutMillis: 300,
    })
    pool.on('error', () => undefined)
    const store = unsyncedPostgres({ pool, schema, timeoutMs: TIMEOUT_MS })
    await store.append({ threadId: 't', entries: [entry(1)] })
    proxy.silence(true)
    expect(await inTime(store.append({ threadId: 't', entries: [entry(2)] }))).toMatchObject({ code: 'store_failed' })
    proxy.silence(false)
    expect(await store.append({ threadId: 't', entries: [entry(3)] })).toMatchObject({ ok: true, version: 2 })
    await store.close()
    await pool.end()
  })
})

it('a process that was frozen for longer than its timeout reads the answers that have arrived', async () => {
  const store = unsyncedPostgres({ connectionString: server.get().connectionString, schema, timeoutMs: TIMEOUT_MS })
  opened.push(store)
  await store.append({ threadId: 't', entries: [entry(1)] })
  const reading = store.read('t')
  // The statement leaves in a later turn. From then on nothing is read until all timers are due.
  await new Promise((resolve) => setImmediate(resolve))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIMEOUT_MS)
  expect((await reading).version).toBe(1)
})

describe('a thread that another transaction keeps locked', () => {
  it('is busy when time is up, and nothing is written', async () => {
    const store = open({ timeoutMs: LOCK_TIMEOUT_MS })
    await store.append({ threadId: 't', entries: [entry(1)] })
    const client = new pg.Client(server.get().connectionString)
    await client.connect()
    try {
      await client.query(`BEGIN; SELECT * FROM ${schema}.threads FOR UPDATE`)
      expect(await inTime(store.append({ threadId: 't', entries: [entry(2)] }))).toMatchObject({ code: 'store_busy' })
    } finally {
      // With its connection the lock goes, too.
      await client.end()
    }
    expect(await bodies()).toEqual([entry(1)])
  })
})
