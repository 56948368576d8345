import pg from 'pg'
import { expect, it } from 'vitest'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()

function onePool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.get().connectionString, max: 1 })
  // Its connection may still be closing when the server is stopped.
  pool.on('error', () => undefined)
  return pool
}

/** A store on one connection that the test can reach. */
function onOneConnection() {
  const pool = onePool()
  const store = unsyncedPostgres({ pool, schema: freshSchema() })
  const names = async () => {
    const { rows } = await pool.query(`SELECT name, statement FROM pg_prepared_statements ORDER BY 1`)
    return rows as { name: string; statement: string }[]
  }
  const append = (n: number) => store.append({ threadId: 't', entries: [entry(n)], version: n - 1 })
  const bodies = async () => (await store.read('t')).entries.map(({ body }) => body)
  const close = async () => {
    await store.close()
    await pool.end()
  }
  return { pool, store, names, append, bodies, close }
}

it('a connection keeps the plan of each frequent statement under its own name', async () => {
  const { names, append, bodies, close } = onOneConnection()
  for (const n of [1, 2, 3]) expect(await append(n)).toMatchObject({ ok: true, version: n })
  expect(await bodies()).toEqual([1, 2, 3].map(entry))
  const kept = await names()
  expect(kept.filter(({ statement }) => statement.includes('append_all('))).toHaveLength(1)
  expect(kept.every(({ name }) => /^holdpoint_[0-9a-f]{32}$/.test(name))).toBe(true)
  await close()
})

it('a connection keeps the plans of what each decision and each resume asks for', async () => {
  const { store, names, close } = onOneConnection()
  const ways: Record<string, () => Promise<unknown>> = {
    'requests r': () => store.getRequest('unknown'),
    'outbox_pruned)': () => store.outbox({ after: '' }),
    'write_records(': () => store.writeRecords([{ op: 'put', kind: 'k', id: 'r', value: '1' }]),
    'records WHERE': () => store.readRecord('k', 'r'),
    erased_at: () => store.readHead('t'),
  }
  for (const way of Object.values(ways)) await way()
  const kept = await names()
  for (const part of Object.keys(ways)) expect(kept.filter(({ statement }) => statement.includes(part))).toHaveLength(1)
  await close()
})

it('a connection that has forgotten its plans, as behind a proxy, loses and repeats nothing', async () => {
  const { pool, names, append, bodies, close } = onOneConnection()
  expect(await append(1)).toMatchObject({ ok: true, version: 1 })
  expect(await bodies()).toEqual([entry(1)])
  await pool.query('DEALLOCATE ALL')
  expect(await append(2)).toMatchObject({ ok: true, version: 2 })
  expect(await bodies()).toEqual([1, 2].map(entry))
  // From then on it does without.
  await pool.query('DEALLOCATE ALL')
  expect(await append(3)).toMatchObject({ ok: true, version: 3 })
  expect(await names()).toEqual([])
  await close()
})

it('a connection that already has these plans, as behind a proxy, loses and repeats nothing', async () => {
  const first = onOneConnection()
  expect(await first.append(1)).toMatchObject({ ok: true, version: 1 })
  const { names, append, bodies, close, pool } = onOneConnection()
  // The schemas differ, and with them the texts and names: these are what the second store will use.
  await append(1)
  const own = await names()
  await pool.query('DEALLOCATE ALL')
  const fresh = onePool()
  const schema = /"(\w+)"/.exec(own.find(({ statement }) => statement.includes('append_all('))!.statement)![1]!
  for (const { name, statement } of own) await fresh.query(`PREPARE "${name}" AS ${statement}`)
  const store = unsyncedPostgres({ pool: fresh, schema })
  expect(await store.append({ threadId: 't', entries: [entry(2)], version: 1 })).toMatchObject({ ok: true, version: 2 })
  expect(await bodies()).toEqual([1, 2].map(entry))
  await store.close()
  await fresh.end()
  await first.close()
  await close()
})

it('new entries of a long thread are found by the index, without a scan of earlier ones', async () => {
  const { pool, names, append, close, store } = onOneConnection()
  await append(1)
  for (let from = 2; from < 5000; from += 500) {
    const entries = Array.from({ length: 500 }, (_, index) => entry(from + index))
    await store.append({ threadId: 't', entries })
  }
  await pool.query('ANALYZE')
  const { version, entries } = await store.read('t', { after: 4990 })
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: version - 4990 }, (_, index) => 4991 + index))
  const read = (await names()).find(({ statement }) => statement.includes('string_agg'))!
  const { rows } = await pool.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${read.name}"('default', 't', 4990, NULL, 'none', 0, false)`,
  )
  const looks = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'entries')
  // The entry before them, the last one, and they themselves.
  expect(looks.map((look) => look['Actual Rows']).sort()).toEqual([1, 1, version - 4990].sort())
  for (const look of looks) {
    expect(look).toMatchObject({ 'Index Name': 'entries_thread' })
    expect(look['Rows Removed by Filter'] ?? 0).toBe(0)
  }
  await close()
})

it('a snapshot, its chunks and the entries after it are found by their indexes, also in a plan that was made for empty tables', async () => {
  const { pool, names, append, close, store } = onOneConnection()
  await append(1)
  // The plan is kept from the sixth time on.
  for (let n = 0; n < 8; n++) await store.read('t', { snapshot: 3, chunks: true })
  for (let thread = 0; thread < 300; thread++) {
    await store.append({ threadId: `t${thread}`, entries: Array.from({ length: 10 }, (_, index) => entry(index)) })
    const snapshot = { fold: 3, body: '{}', chunks: { first: 1, bodies: ['a', 'b', 'c'] } }
    await store.append({ threadId: `t${thread}`, version: 10, entries: [entry(11), entry(12)], snapshot })
  }
  expect(await store.read('t7', { snapshot: 3, chunks: true })).toMatchObject({
    entries: { length: 2 },
    snapshot: { version: 10, chunks: ['a', 'b', 'c'] },
  })
  const read = (await names()).find(({ statement }) => statement.includes('string_agg'))!
  const { rows } = await pool.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${read.name}"('default', 't7', 0, 3, 'all', 0, false)`,
  )
  const looks = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined)
  expect(looks.map((look) => look['Relation Name']).sort()).toEqual([
    'chunks',
    'chunks',
    'entries',
    'entries',
    'entries',
    'snapshots',
    'threads',
  ])
  for (const look of looks) {
    expect(look['Index Name'] ?? look.Plans?.[0]?.['Index Name'], JSON.stringify(look)).toBeDefined()
    expect(look['Actual Rows']).toBeLessThanOrEqual(3)
    expect(look['Rows Removed by Filter'] ?? 0).toBe(0)
  }
  await close()
})

it('a few chunks are read at once, and of many no more than it takes to see that they are many', async () => {
  const { pool, names, append, close, store } = onOneConnection()
  await append(1)
  for (let n = 0; n < 8; n++) await store.read('t', { snapshot: 3, chunks: 'few' })
  for (const [threadId, count] of [
    ['short', 3],
    ['long', 500],
  ] as const) {
    await store.append({ threadId, entries: [entry(1)] })
    const bodies = Array.from({ length: count }, (_, index) => `chunk ${index}`)
    await store.append({
      threadId,
      version: 1,
      entries: [entry(2)],
      snapshot: { fold: 3, body: '{}', chunks: { first: 1, bodies } },
    })
  }
  const read = (await names()).find(({ statement }) => statement.includes('string_agg'))!
  const chunksRead = async (threadId: string) => {
    const { rows } = await pool.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${read.name}"('default', '${threadId}', 0, 3, 'few', 0, false)`,
    )
    const looks = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'chunks')
    return looks
      .map(
        (look) =>
          Number(look['Actual Loops']) * (Number(look['Actual Rows']) + Number(look['Rows Removed by Filter'] ?? 0)),
      )
      .reduce((sum, count) => sum + count, 0)
  }
  // Once to see how many there are, and once more to read them.
  expect(await chunksRead('short')).toBe(6)
  expect(await chunksRead('long')).toBe(9)
  await close()
})

it('a part in the middle of a long thread is found by the index, without a scan of what is around it', async () => {
  const { pool, names, append, close, store } = onOneConnection()
  await append(1)
  for (let from = 2; from < 5000; from += 500)
    await store.append({ threadId: 't', entries: Array.from({ length: 500 }, (_, index) => entry(from + index)) })
  await pool.query('ANALYZE')
  const { entries } = await store.readBack('t', { before: 2501, limit: 20 })
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => 2481 + index))
  const read = (await names()).find(({ statement }) => statement.includes('greatest('))!
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${read.name}"(2500, 20, 'default', 't')`)
  const looks = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'entries')
  // The entry before them, and they themselves.
  expect(looks.map((look) => look['Actual Rows']).sort()).toEqual([1, 20].sort())
  for (const look of looks) {
    expect(look).toMatchObject({ 'Index Name': 'entries_thread' })
    expect(look['Rows Removed by Filter'] ?? 0).toBe(0)
  }
  await close()
})

interface PlanNode extends Record<string, unknown> {
  Plans?: PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
