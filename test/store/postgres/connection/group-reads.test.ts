import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store, ThreadSlice } from '../../../../src/ports/store.ts'
import { entry, giving, grantRow } from '../../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const BATCH = 'unnest($1::text[], $2::text[], $3::bigint[]'
const HAVE_GRANTS = 'grants g WHERE g.tenant'
let batches = 0
let checks = 0
let refuses = false
let pool: pg.Pool
let store: Store

beforeEach(() => {
  batches = 0
  checks = 0
  refuses = false
  pool = new pg.Pool({ connectionString: server.get().connectionString, max: 6 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const { text } = args[0] as { text?: string }
      if (text?.includes(HAVE_GRANTS)) checks++
      if (!text?.includes(BATCH)) return send(...args)
      batches++
      if (refuses) return Promise.reject(Object.assign(new Error('too much'), { code: '54000', severity: 'ERROR' }))
      return send(...args)
    }) as typeof client.query
  })
  store = unsyncedPostgres({ pool, schema: freshSchema() })
})
afterEach(async () => {
  await store.close()
  await pool.end()
})

const withoutTime = ({ now: _, ...slice }: ThreadSlice) => slice

/** Loads of threads of two tenants: whole, from an entry or a snapshot on, with chunks, past the end, and of threads that are not there. */
async function fill(): Promise<(() => Promise<ThreadSlice>)[]> {
  const tenants = [store, store.tenant('other')]
  for (const [at, tenant] of tenants.entries())
    for (let n = 0; n < 8; n++)
      await tenant.append({
        threadId: `t${n}`,
        entries: Array.from({ length: n + 1 }, (_, i) => entry(`${at} ${n} ${i}`)),
      })
  for (const tenant of tenants)
    for (const n of [1, 4, 5]) {
      const snapshot = { fold: 7, body: `of ${n}`, chunks: { first: 1, bodies: [`a${n}`, `b${n}`] } }
      await tenant.append({ threadId: `t${n}`, version: n + 1, entries: [entry('more')], snapshot })
    }
  const options = [
    {},
    { after: 2 },
    { snapshot: 7 },
    { snapshot: 7, chunks: true },
    { snapshot: 7, chunks: 'few' as const },
    { snapshot: 8, chunks: true },
  ]
  return tenants.flatMap((tenant) =>
    options.flatMap((option) => Array.from({ length: 10 }, (_, n) => () => tenant.read(`t${n}`, option))),
  )
}

describe('loads that wait', () => {
  it('go out together, and each has the answer that it has alone', async () => {
    const loads = await fill()
    const alone = []
    for (const load of loads) alone.push(withoutTime(await load()))
    expect(batches).toBe(0)
    const together = await Promise.all(loads.map((load) => load()))
    expect(together.map(withoutTime)).toEqual(alone)
    expect(batches).toBeGreaterThan(0)
  })

  it('are sent one by one if a batch is refused as a whole', async () => {
    const loads = await fill()
    const before = await Promise.all(loads.map((load) => load()))
    refuses = true
    batches = 0
    const found = await Promise.all(loads.map((load) => load()))
    expect(found.map(withoutTime)).toEqual(before.map(withoutTime))
    expect(batches).toBeGreaterThan(0)
  })

  it('may be of threads with more entries than a statement joins', async () => {
    const bodies = Array.from({ length: 2100 }, (_, n) => entry(n))
    for (let from = 0; from < bodies.length; from += 700)
      await store.append({ threadId: 'long', entries: bodies.slice(from, from + 700) })
    const found = await Promise.all(Array.from({ length: 6 }, () => store.read('long')))
    for (const { entries } of found) expect(entries.map(({ body }) => body)).toEqual(bodies)
    expect(batches).toBeGreaterThan(0)
  })
})

describe('checks for grants that wait', () => {
  const tenants = () => Array.from({ length: 32 }, (_, n) => store.tenant(`tenant${n}`))

  it('go out together, and each has the answer of its own tenant', async () => {
    for (const [n, tenant] of tenants().entries()) {
      if (n % 3 === 0) await tenant.append(giving('t', grantRow(n)))
    }
    checks = 0
    const found = await Promise.all(tenants().map((tenant) => tenant.findGrants({})))
    const expected = tenants().map((_, n) => (n % 3 === 0 ? [grantRow(n).id] : []))
    expect(found.map(({ grants }) => grants.map(({ id }) => id))).toEqual(expected)
    // The first ones go alone.
    expect(checks).toBeLessThanOrEqual(6)
  })

  it('see what was given before them, whatever is under way', async () => {
    for (let n = 0; n < 20; n++) {
      const tenant = store.tenant(`tenant${n}`)
      const others = tenants().map((each) => each.findGrants({}))
      await tenant.append(giving('t', grantRow(n)))
      expect((await tenant.findGrants({})).grants).toHaveLength(1)
      await Promise.all(others)
    }
  })
})
