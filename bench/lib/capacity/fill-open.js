// @ts-check
import { createHoldpoint } from '../../peers/holdpoint.js'
import { requestName, threadName } from '../postgres/fill-threads.js'
import { progress } from '../report/progress.js'
import { loadHoldpoint } from '../subject/dist.js'

/** @typedef {{ query(sql: string, values?: unknown[]): Promise<{ rows: any[] }> }} Client */

const AT_ONCE = 10_000
/** The thread that is copied. It is the first one, so that thread n + 1 is that of request n. */
const TEMPLATE = 'template'

export { requestName, threadName }

/**
 * Fills a store with threads that wait for a decision, and returns the bytes on disk that each takes with all indexes. The first is made by a real run. The others are
 * copies by statements of the server, with ids of their own and valid chains, so that each can be decided and resumed.
 *
 * @param {Client} client @param {{ url: string, schema: string, open: number }} size
 */
export async function fillOpen(client, { url, schema, open }) {
  const { postgresStore } = await loadHoldpoint()
  const store = postgresStore({ connectionString: url, schema, onWarning() {} })
  const { interruptions } = await createHoldpoint().pause(0, { store, threadId: TEMPLATE })
  await store.close()
  const before = await bytesOf(client, schema)
  const { rows } = await client.query(`SELECT (body::json)->>'run' AS run FROM ${schema}.entries WHERE seq = 1`)
  const ids = [rows[0].run, interruptions[0]?.id]
  await client.query('SET session_replication_role = replica')
  for (let from = 1; from <= open; from += AT_ONCE) {
    const to = Math.min(open, from + AT_ONCE - 1)
    await client.query(entriesSql(schema), [from, to, ...ids])
    await client.query(threadsSql(schema), [from, to])
    await client.query(requestsSql(schema), [from, to])
    progress(`capacity: filling ${to} of ${open} open requests`)
  }
  await client.query('SET session_replication_role = origin')
  await client.query(`SELECT setval(pg_get_serial_sequence('${schema}.threads', 'no'), ${open + 1})`)
  for (const table of ['threads', 'entries', 'requests']) await client.query(`VACUUM (ANALYZE) ${schema}.${table}`)
  return ((await bytesOf(client, schema)) - before) / open
}

/** @param {Client} client @param {string} schema @returns {Promise<number>} */
async function bytesOf(client, schema) {
  const { rows } = await client.query(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'`,
  )
  return rows[0].bytes
}

/** Like `requestName` and `threadName`, for the server. */
const ID = `'0190' || substr(lpad(to_hex(n), 8, '0'), 1, 4) || '-' || substr(lpad(to_hex(n), 8, '0'), 5) || '-7000-8000-000000000000'`
const RUN = ID.replace('-8000-', '-9000-')
const THREAD = `'order-' || n`
const BODY = `replace(replace(t.body, $3, ${RUN}), $4, ${ID})`
const SALT = `decode(md5(n || ' ' || t.seq), 'hex')`

/** @param {string} schema */
const entriesSql = (schema) => `
INSERT INTO ${schema}.entries (thread, seq, at, body, salt, hash)
WITH RECURSIVE chain(n, seq, at, body, salt, hash) AS (
  SELECT n, 0::bigint, 0::bigint, '' COLLATE "C", ''::bytea, decode(repeat('00', 32), 'hex') FROM generate_series($1::bigint, $2::bigint) n
  UNION ALL
  SELECT n, t.seq, t.at, ${BODY}, ${SALT},
    sha256(convert_to('["default","' || ${THREAD} || '",' || t.seq || ',' || t.at || ']', 'UTF8') || c.hash || sha256(${SALT} || convert_to(${BODY}, 'UTF8')))
  FROM chain c JOIN ${schema}.entries t ON t.thread = 1 AND t.seq = c.seq + 1)
SELECT n + 1, seq, at, body, salt, hash FROM chain WHERE seq > 0 ORDER BY n, seq`

/** @param {string} schema */
const threadsSql = (schema) => `
INSERT INTO ${schema}.threads (no, tenant, id, rev, version, at, head, lease_token, lease_until, run_agent) OVERRIDING SYSTEM VALUE
SELECT n + 1, t.tenant, ${THREAD}, t.rev, t.version, t.at, e.hash, t.lease_token, 0, t.run_agent
FROM generate_series($1::bigint, $2::bigint) n, ${schema}.threads t JOIN ${schema}.entries e ON e.seq = t.version WHERE t.no = 1 AND e.thread = n + 1`

/** @param {string} schema */
const requestsSql = (schema) => `
INSERT INTO ${schema}.requests (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, readers, text, changed_at)
SELECT t.tenant, ${ID}, n + 1, t.opened, t.version, t.status, t.kind, t.question_id, t.agent, t.tool, t.readers, replace(t.text, '${TEMPLATE}', ${THREAD}), t.changed_at
FROM generate_series($1::bigint, $2::bigint) n, ${schema}.requests t WHERE t.thread = 1`
