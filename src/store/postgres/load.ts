import { type ChunksWanted, FEW_CHUNKS, SHORT_CHUNK } from '../../ports/snapshot.ts'
import type { Verify } from '../shared/verify.ts'
import type { SqlRow } from '../sql/dialect.ts'
import { JOINED_CODE, joinedEntry, LONGEST_JOINED } from '../sql/joined-entries.ts'
import { WAKE_COLUMNS } from '../sql/wake.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { dialectOf } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** How many entries are transferred as one string: more than most threads have, since each further piece is a round trip. */
export const JOINED = 1000

/** The end of a thread, as `toEnd` takes it. */
export const END_COLUMNS = `t.version, encode(t.head, 'hex') AS head, t.mac_key, encode(t.mac, 'hex') AS mac`

/**
 * A thread to load, and its entries after a version, or after its snapshot of a fold, if it has one. At most `JOINED` entries come with it. `chunks`:
 * which of those of the snapshot.
 */
export interface ThreadLoad {
  readonly tenant: string
  readonly threadId: string
  readonly after: number
  readonly fold: number | null
  readonly chunks: ChunksWanted
}

/** Loads the row of a thread with its entries joined. There is always a row, which carries the time, even if there is no thread. */
export type LoadThread = (load: ThreadLoad) => Promise<SqlRow>

/** Loads threads with one statement, in order. */
export function loadThreads(
  run: Run,
  { schema, verify, time }: { schema: string; verify: Verify; time: StoreTime },
  loads: readonly ThreadLoad[],
): Promise<SqlRow[]> {
  const [first, ...more] = loads
  const from = { schema, verify, chunks: loads.some(({ chunks }) => chunks !== false) }
  if (first && more.length === 0) return run.kept(selectThread(from), [...toValues(first), ...time.values()])
  const rows = loads.map(toValues)
  const columns = toValues(first!).map((_, column) => rows.map((row) => row[column]))
  return run.kept(selectThreads(from), [...columns, ...time.values()])
}

function toValues({ tenant, threadId, after, fold, chunks }: ThreadLoad): unknown[] {
  return [tenant, threadId, after, fold, chunks === true ? 'all' : chunks === 'few' ? 'few' : 'none']
}

/** What a statement reads. One that needs no chunks does not name their table: a role may have no right to it until its script was run again. */
interface LoadedFrom {
  readonly schema: string
  readonly verify: Verify
  readonly chunks: boolean
}

function selectThread(from: LoadedFrom): string {
  const prefix = prefixOf(from.schema)
  return `SELECT ${loadedColumns(from)}
    FROM (SELECT ${prefix}clock_ms($6, $7) AS now) c
    CROSS JOIN (SELECT $3::bigint AS after, $4::bigint AS fold, $5::text AS chunks) q
    LEFT JOIN ${prefix}threads t ON t.tenant = $1 AND t.id = $2 ${joinSnapshot(from)}`
}

/** The same for several threads. Each is looked up by itself: without the limit, a plan that was made for an empty table could join all threads. */
function selectThreads(from: LoadedFrom): string {
  const prefix = prefixOf(from.schema)
  return `SELECT ${loadedColumns(from)}
    FROM (SELECT ${prefix}clock_ms($6, $7) AS now) c
    CROSS JOIN unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
      WITH ORDINALITY AS q(tenant, id, after, fold, chunks, n)
    LEFT JOIN LATERAL (SELECT * FROM ${prefix}threads h WHERE h.tenant = q.tenant AND h.id = q.id LIMIT 1) t ON true
    ${joinSnapshot(from)}
    ORDER BY q.n`
}

/** The snapshot of a thread `t` with its chunks joined, and where its entries begin. */
function joinSnapshot({ schema, chunks }: LoadedFrom): string {
  const prefix = prefixOf(schema)
  const areFew = `NOT EXISTS (SELECT 1 FROM ${prefix}chunks m
        WHERE m.thread = s.thread AND m.fold = s.fold AND (m.number > ${FEW_CHUNKS} OR octet_length(m.body) > ${SHORT_CHUNK}))`
  const joined = `SELECT count(*) AS count, string_agg(k.body, chr(${JOINED_CODE}) ORDER BY k.number) AS joined
      FROM ${prefix}chunks k WHERE k.thread = s.thread AND k.fold = s.fold AND CASE q.chunks WHEN 'all' THEN true WHEN 'few' THEN ${areFew} ELSE false END`
  return `LEFT JOIN LATERAL (SELECT * FROM ${prefix}snapshots n WHERE n.thread = t.no AND n.fold = q.fold AND n.version <= t.version LIMIT 1) s ON true
    ${chunks ? `LEFT JOIN LATERAL (${joined}) p ON true` : ''}
    CROSS JOIN LATERAL (SELECT coalesce(s.version, q.after) AS start) f`
}

function loadedColumns({ schema, verify, chunks }: LoadedFrom): string {
  const prefix = prefixOf(schema)
  const range = { thread: 't.no', after: 'f.start', upTo: `f.start + ${JOINED}` }
  return `c.now, t.no, t.at, ${END_COLUMNS}, t.lease_token, t.lease_holder, t.lease_until, t.erased_at, ${WAKE_COLUMNS},
      s.version AS s_version, encode(s.hash, 'hex') AS s_hash, s.body AS s_body, s.mac_key AS s_mac_key, encode(s.mac, 'hex') AS s_mac,
      ${chunks ? 'p.count AS s_count, p.joined AS s_joined,' : ''}
      (SELECT encode(e.hash, 'hex') FROM ${prefix}entries e WHERE e.thread = t.no AND e.seq = f.start) AS previous,
      (SELECT e.seq FROM ${prefix}entries e WHERE e.thread = t.no ORDER BY e.seq DESC LIMIT 1) > t.version AS beyond,
      (${joinEntries(schema, verify, range)}) AS joined`
}

/** Which entries: SQL expressions. */
interface EntryRange {
  readonly thread: string
  readonly after: string
  readonly upTo: string
}

/** The entries of a range, found by the index however many come before them. */
export function joinEntries(schema: string, verify: Verify, { thread, after, upTo }: EntryRange): string {
  const separator = `chr(${JOINED_CODE})`
  return `SELECT string_agg(CASE WHEN octet_length(body) > ${LONGEST_JOINED} THEN ${separator} ELSE ${joinedEntry(dialectOf(schema), verify)} END, ${separator} ORDER BY seq) AS joined
    FROM (SELECT e.at, e.body, e.salt, e.hash, e.seq FROM ${prefixOf(schema)}entries e WHERE e.thread = ${thread} AND e.seq > ${after} AND e.seq <= ${upTo}) entry`
}
