// @ts-check
import { progress } from '../report/progress.js'

/** @typedef {{ query(sql: string, values?: unknown[]): Promise<unknown> }} Client */

export const ENTRIES = 10
const AT_ONCE = 10_000

/** @param {number} n */
export function threadName(n) {
  return `order-${n}`
}

/** An id like those of the desk: of its time, and unique. @param {number} n */
export function requestName(n) {
  const hex = n.toString(16).padStart(8, '0')
  return `0190${hex.slice(0, 4)}-${hex.slice(4)}-7000-8000-000000000000`
}

/**
 * Fills a store's schema with threads of ten entries and one request each, by statements of the server itself: the rows are those that appends would
 * have left, with valid chains. Half of the requests are open, all of those with a deadline far ahead; one thread of 1000 is to be driven now, and ten
 * of 1000 later. Triggers are off meanwhile, so the outbox stays empty, as after its pruning.
 *
 * @param {Client} client
 * @param {{ schema: string, threads: number }} size
 */
export async function fillThreads(client, { schema, threads }) {
  const began = performance.now()
  await client.query('SET session_replication_role = replica')
  for (let from = 1; from <= threads; from += AT_ONCE) {
    const to = Math.min(threads, from + AT_ONCE - 1)
    await client.query(entriesSql(schema), [from, to, ENTRIES])
    await client.query(threadsSql(schema), [from, to, ENTRIES])
    await client.query(requestsSql(schema), [from, to])
    progress(bar(to / threads, { threads, seconds: (performance.now() - began) / 1000 }))
  }
  await client.query('SET session_replication_role = origin')
  const identity = `pg_get_serial_sequence('${schema}.threads', 'no')`
  await client.query(`SELECT setval(${identity}, ${threads})`)
  for (const table of ['threads', 'entries', 'requests']) {
    progress(`size: vacuuming ${table}`)
    await client.query(`VACUUM (ANALYZE) ${schema}.${table}`)
  }
}

/** @param {number} part @param {{ threads: number, seconds: number }} about */
function bar(part, { threads, seconds }) {
  const full = Math.round(part * 20)
  const text = `${'█'.repeat(full)}${'░'.repeat(20 - full)} ${Math.round(part * 100)} %`
  return `size: filling ${threads} threads ${text}, ${Math.round((seconds / part) * (1 - part))} s left`
}

/** A body of about 300 characters. */
const BODY = `'{"type":"note","thread":' || n || ',"seq":' || seq || ',"text":"' || repeat('All work and no play. ', 12) || '"}'`
const AT = '1700000000000'

/** @param {string} schema */
const entriesSql = (schema) => `
INSERT INTO ${schema}.entries (thread, seq, at, body, salt, hash)
WITH RECURSIVE chain(n, seq, hash) AS (
  SELECT n, 0, decode(repeat('00', 32), 'hex') FROM generate_series($1::bigint, $2::bigint) n
  UNION ALL
  SELECT n, seq + 1, sha256(convert_to('["default","order-' || n || '",' || (seq + 1) || ',${AT}]', 'UTF8') || hash
    || sha256(decode(md5(n || ' ' || (seq + 1)), 'hex') || convert_to(${BODY.replaceAll('seq', '(seq + 1)').replace('"(seq + 1)"', '"seq"')}, 'UTF8')))
  FROM chain WHERE seq < $3)
SELECT n, seq, ${AT}, ${BODY}, decode(md5(n || ' ' || seq), 'hex'), hash FROM chain WHERE seq > 0 ORDER BY n, seq`

/** @param {string} schema */
const threadsSql = (schema) => `
INSERT INTO ${schema}.threads (no, tenant, id, rev, version, at, head, lease_token, lease_until, wake_at, run_agent) OVERRIDING SYSTEM VALUE
SELECT n, 'default', 'order-' || n, 1, $3, ${AT}, e.hash, 0, 0,
  CASE WHEN n % 1000 = 0 THEN ${AT} + n WHEN n % 100 = 0 THEN 4000000000000 + n END, 'support'
FROM generate_series($1::bigint, $2::bigint) n JOIN ${schema}.entries e ON e.thread = n AND e.seq = $3`

/** @param {string} schema */
const requestsSql = (schema) => `
INSERT INTO ${schema}.requests (tenant, id, thread, opened, changed, version, status, kind, question_id, agent, tool, expires_at, readers, text, changed_at)
SELECT 'default', '0190' || substr(h, 1, 4) || '-' || substr(h, 5) || '-7000-8000-000000000000', n, 9, CASE WHEN n % 2 = 0 THEN 10 END,
  1 + (n + 1) % 2, CASE WHEN n % 2 = 0 THEN 'decided' ELSE 'open' END, 'approval', 'q' || n, 'agent-' || n % 40, 'tool-' || n % 60,
  CASE WHEN n % 2 = 1 THEN 4000000000000 + n END, ',"group:g' || n % 500 || '",', 'order ' || n, ${AT} + n
FROM (SELECT n, lpad(to_hex(n), 8, '0') AS h FROM generate_series($1::bigint, $2::bigint) n) s`
