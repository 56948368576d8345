import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { bodyHash, toHex } from '../../../src/protocol/chain/chain.ts'
import { entry, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, useAdmin, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

/**
 * Builds of versions 5 to 10 send everything as JSON in JSON (`append_each`), or as 25 parameters (`append`). They go on while the tables have version 11.
 */
const server = usePostgres()
const admin = useAdmin(server)

/** The parameters of an append, as those builds make them. */
function callOf(threadId: string, bodies: string[], more: Record<string, string> = {}): Record<string, unknown> {
  const salts = bodies.map(() => randomBytes(16))
  const hashes = bodies.map((body, n) => Buffer.from(bodyHash(salts[n]!, body), 'latin1'))
  return {
    a_tenant: 'default',
    a_thread: threadId,
    a_name: JSON.stringify(['default', threadId]).slice(0, -1),
    a_id: `\\x${toHex(salts[0]!)}`,
    a_time: '0',
    a_fixed: 'false',
    a_drop: 'false',
    a_bodies: bodies,
    a_salts: `\\x${toHex(Buffer.concat(salts))}`,
    a_hashes: `\\x${toHex(Buffer.concat(hashes))}`,
    a_keyed: 'false',
    ...more,
  }
}

const ORDER =
  'a_tenant a_thread a_name a_id a_time a_fixed a_version a_head a_op a_holder a_token a_over a_ttl a_drop a_bodies a_salts a_hashes a_requests a_grants a_keyed a_patience a_records a_wake a_erase a_snapshot'.split(
    ' ',
  )

const opening = (n: number) => JSON.stringify([{ op: 'open', entry: 0, ...requestRow(n), readers: '*', lists: null }])
const snapshot = JSON.stringify({ fold: 3, body: '{"a":"\\n"}', first: 1, chunks: ['x "y"', 'z\\'] })

it('what builds before version 11 call does the same', async () => {
  const schema = freshSchema()
  const store = unsyncedPostgres({ connectionString: server.get().connectionString, schema })
  await store.append({ threadId: 'c', entries: [entry(1)] })
  const batch = [
    callOf('a', [entry(1), '{"text":"é \\" \\\\ 🙂"}']),
    callOf('b', [entry(1)], { a_version: '0', a_op: 'take', a_holder: 'h', a_ttl: '30000', a_requests: opening(1) }),
    callOf('c', [entry(9)], { a_version: '7' }),
  ]
  const { rows } = await admin
    .get()
    .query(`SELECT outcome FROM ${schema}.append_each($1, 1000) AS outcome`, [JSON.stringify(batch)])
  expect(rows.map(({ outcome }) => outcome)).toMatchObject([
    { ok: true, version: 2 },
    { ok: true, version: 1, lease: { holder: 'h' } },
    { ok: false, conflict: { kind: 'version', version: 1 } },
  ])

  const more = { a_version: '2', a_patience: '1000', a_snapshot: snapshot }
  const single: Record<string, unknown> = callOf('a', [entry(3)], more)
  const values = ORDER.map((name) => single[name] ?? null)
  const places = ORDER.map((_, n) => `$${n + 1}`).join(', ')
  const [alone] = (await admin.get().query(`SELECT ${schema}.append(${places}) AS outcome`, values)).rows
  expect(alone.outcome).toMatchObject({ ok: true, version: 3 })

  const { entries, snapshot: kept } = await store.read('a', { snapshot: 3, chunks: true })
  expect(entries.map(({ body }) => body)).toEqual([entry(3)])
  expect(kept).toEqual({ version: 2, body: '{"a":"\\n"}', chunks: ['x "y"', 'z\\'] })
  expect((await store.read('a')).entries.map(({ body }) => body)[1]).toBe('{"text":"é \\" \\\\ 🙂"}')
  expect((await store.getRequest(requestId(1)))?.opened).toBeDefined()
  await store.close()
})
