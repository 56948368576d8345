import type { ThreadSlice } from '../../ports/store.ts'
import type { ThreadPage, ThreadQuery } from '../../ports/store-lists.ts'
import type { ChainedEntry, ThreadHead } from '../../ports/stored-entry.ts'
import { CHAIN_START, toHex } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned, type SignedEnd } from '../shared/audit.ts'
import { liveLease } from '../shared/lease.ts'
import { type ChainRange, chainRange, versionBefore } from '../shared/page.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import { checkRead, type Trust, type Verify } from '../shared/verify.ts'
import type { SqlRow } from '../sql/dialect.ts'
import { planThreads } from '../sql/find-threads.ts'
import {
  addJoined,
  JOINED_CODE,
  joinedEntry,
  type LinkedEntries,
  LONGEST_JOINED,
  toLink,
} from '../sql/joined-entries.ts'
import type { PointedEntries } from '../sql/pointed-entry.ts'
import { toEntry } from '../sql/stored-request.ts'
import { toWake, WAKE_COLUMNS } from '../sql/wake.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { dialectOf, numbered } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** The tenant and schema to read, and how to verify reads. */
export interface View {
  readonly schema: string
  readonly tenant: string
  readonly trust: Trust
}

/** How many entries are transferred as one string: more than most threads have, since each further piece is a round trip. */
const JOINED = 1000

/** The end of a thread as {@link toEnd} takes it. */
export const END_COLUMNS = `t.version, encode(t.head, 'hex') AS head, t.mac_key, encode(t.mac, 'hex') AS mac`

/** A thread to load, and the entries to load with it: those after `from` and up to `to`. */
export interface ThreadLoad {
  readonly tenant: string
  readonly threadId: string
  readonly from: number
  readonly to: number
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
  if (first && more.length === 0) {
    const { from, to, tenant, threadId } = first
    return run.kept(selectThread(schema, verify), [from, to, tenant, threadId, ...time.values()])
  }
  const columns = (['from', 'to', 'tenant', 'threadId'] as const).map((name) => loads.map((load) => load[name]))
  return run.kept(selectThreads(schema, verify), [...columns, ...time.values()])
}

/**
 * Reads a thread. Entries never change and are never removed, so several statements see one state if all stop at the version of the first. There is
 * always a row, which carries the time, even if there is no thread.
 */
export async function readThread(
  run: Run,
  { schema, tenant, trust }: View,
  { threadId, after, time, load }: { threadId: string; after: number; time: StoreTime; load?: LoadThread },
): Promise<ThreadSlice> {
  const { verify } = trust
  const start = versionBefore(after)
  const wanted = { tenant, threadId, from: start, to: start + JOINED }
  const row = load ? await load(wanted) : (await loadThreads(run, { schema, verify, time }, [wanted]))[0]
  const { no, lease_token, lease_holder, lease_until } = row!
  const end = toEnd(row)
  const thread = { store: trust.store, tenant, threadId }
  checkSigned(trust.auditKeys, thread, end, 'read')
  if (row!.erased_at !== null) throw new ThreadErased(threadId)
  const now = time.saw(steadyTime(Number(row!.now), Number(row!.at ?? 0)))
  const found: LinkedEntries = { entries: [], links: [] }
  for (let from = start; from < end.version; from += JOINED) {
    const to = Math.min(from + JOINED, end.version)
    const joined =
      from === start
        ? row
        : (await run.kept(joinEntries(schema, verify, { ...RANGE, thread: '$3' }), [from, to, no]))[0]
    if (!addJoined(found, joined?.joined, from, to)) await addEntries(found, run, { schema, verify, no, from, to })
  }
  const previous = previousOf(end, start, row!.previous)
  checkRead(verify, {
    ...thread,
    ...found,
    after: Math.min(start, end.version),
    previous,
    end,
    beyond: row!.beyond === 't',
  })
  const slot = {
    token: Number(lease_token ?? 0),
    holder: lease_holder as string | null,
    until: Number(lease_until ?? 0),
  }
  const heads = { head: toHex(end.hash), follows: toHex(previous ?? end.hash) }
  const wake = toWake([row!.wake_at, row!.wake_tries, row!.run_agent, row!.run_version])
  return { version: end.version, ...heads, entries: found.entries, lease: liveLease(slot, now), wake, now }
}

/** The hash of the entry at `start`. `undefined`: its row is missing. */
function previousOf({ version, hash }: SignedEnd, start: number, before: unknown): Uint8Array | undefined {
  if (start === 0) return CHAIN_START
  return start > version ? hash : toBytes(before)
}

function selectThread(schema: string, verify: Verify): string {
  const prefix = prefixOf(schema)
  return `SELECT ${loadedColumns(schema, verify, RANGE)}
    FROM (SELECT ${prefix}clock_ms($5, $6) AS now) c LEFT JOIN ${prefix}threads t ON t.tenant = $3 AND t.id = $4`
}

/** The same for several threads. Each is looked up by itself: without the limit, a plan that was made for an empty table could join all threads. */
function selectThreads(schema: string, verify: Verify): string {
  const prefix = prefixOf(schema)
  return `SELECT ${loadedColumns(schema, verify, { after: 'q.a', upTo: 'q.b' })}
    FROM (SELECT ${prefix}clock_ms($5, $6) AS now) c
    CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS q(a, b, tenant, id, n)
    LEFT JOIN LATERAL (SELECT * FROM ${prefix}threads h WHERE h.tenant = q.tenant AND h.id = q.id LIMIT 1) t ON true
    ORDER BY q.n`
}

/** Which entries: SQL expressions. */
interface EntryRange {
  readonly after: string
  readonly upTo: string
}

const RANGE: EntryRange = { after: '$1::bigint', upTo: '$2::bigint' }

function loadedColumns(schema: string, verify: Verify, range: EntryRange): string {
  const prefix = prefixOf(schema)
  return `c.now, t.no, t.at, ${END_COLUMNS}, t.lease_token, t.lease_holder, t.lease_until, t.erased_at, ${WAKE_COLUMNS},
      (SELECT encode(e.hash, 'hex') FROM ${prefix}entries e WHERE e.thread = t.no AND e.seq = ${range.after}) AS previous,
      (SELECT e.seq FROM ${prefix}entries e WHERE e.thread = t.no ORDER BY e.seq DESC LIMIT 1) > t.version AS beyond,
      (${joinEntries(schema, verify, { ...range, thread: 't.no' })}) AS joined`
}

/** The entries of a range, found by the index however many come before them. */
export function joinEntries(
  schema: string,
  verify: Verify,
  { thread, after, upTo }: EntryRange & { thread: string },
): string {
  const separator = `chr(${JOINED_CODE})`
  return `SELECT string_agg(CASE WHEN octet_length(body) > ${LONGEST_JOINED} THEN ${separator} ELSE ${joinedEntry(dialectOf(schema), verify)} END, ${separator} ORDER BY seq) AS joined
    FROM (SELECT e.at, e.body, e.salt, e.hash, e.seq FROM ${prefixOf(schema)}entries e WHERE e.thread = ${thread} AND e.seq > ${after} AND e.seq <= ${upTo}) entry`
}

/** Adds entries that cannot be joined, one by one. */
export async function addEntries(
  { entries, links }: LinkedEntries,
  run: Run,
  { schema, verify, no, from, to }: { schema: string; verify: Verify; no: unknown; from: number; to: number },
): Promise<void> {
  const link = verify === 'chain' ? `, encode(salt, 'hex') || encode(hash, 'hex') AS link` : ''
  const rows = await run(
    `SELECT seq, at, body${link} FROM ${prefixOf(schema)}entries WHERE thread = $1 AND seq > $2 AND seq <= $3 ORDER BY seq`,
    [no, from, to],
  )
  for (const row of rows) {
    entries.push(toEntry(row.seq, row.at, row.body))
    if (verify === 'chain') links.push(toLink(String(row.link)))
  }
}

/** Reads and verifies the doubtful threads as a whole: an `erased` entry may account for a broken link. */
export async function checkThreads(run: Run, view: View, { doubtful }: PointedEntries): Promise<void> {
  const time: StoreTime = { values: () => [0, true], saw: (moment) => moment }
  for (const threadId of doubtful) await readThread(run, view, { threadId, after: 0, time })
}

/** The end of a thread. */
export async function readHead(run: Run, { schema, tenant }: View, threadId: string): Promise<ThreadHead> {
  const sql = `SELECT ${END_COLUMNS}, t.erased_at FROM ${prefixOf(schema)}threads t WHERE t.tenant = $1 AND t.id = $2`
  const [row] = await run.kept(sql, [tenant, threadId])
  return { ...toEnd(row), ...((row?.erased_at ?? null) === null ? {} : { erased: true }) }
}

/** The end of a thread, also of one that does not exist. */
export function toEnd(row: SqlRow | undefined): SignedEnd {
  const { version, head, mac_key, mac } = row ?? {}
  return {
    version: Number(version ?? 0),
    hash: toBytes(head) ?? new Uint8Array(CHAIN_START),
    mac: typeof mac_key === 'string' ? { key: mac_key, mac: toBytes(mac) ?? new Uint8Array() } : null,
  }
}

/** A thread's entries with their links. */
export async function readChain(
  run: Run,
  { schema, tenant }: View,
  { threadId, ...range }: ChainRange & { threadId: string },
): Promise<ChainedEntry[]> {
  const { after, limit } = chainRange(range)
  const prefix = prefixOf(schema)
  const rows = await run(
    `SELECT seq, at, body, encode(salt, 'hex') AS salt, encode(hash, 'hex') AS hash FROM ${prefix}entries
     WHERE thread = (SELECT no FROM ${prefix}threads WHERE tenant = $1 AND id = $2) AND seq > $3 ORDER BY seq LIMIT $4`,
    [tenant, threadId, after, limit],
  )
  return rows.map(({ seq, at, body, salt, hash }) => ({
    ...toEntry(seq, at, body),
    salt: toBytes(salt)!,
    hash: toBytes(hash)!,
  }))
}

/** A page of the threads of all tenants. */
export async function findThreads(run: Run, schema: string, query?: ThreadQuery): Promise<ThreadPage> {
  const { query: find, page } = planThreads(dialectOf(schema), query)
  return page(await run(numbered(find.sql), find.values))
}

/** A thread of any tenant. */
export interface ThreadAddress {
  tenant: string
  threadId: string
}

/** The versions of those threads that exist. */
export async function readVersions(
  run: Run,
  schema: string,
  threads: readonly ThreadAddress[],
): Promise<(ThreadAddress & { version: number })[]> {
  const rows = await run(
    `SELECT tenant, id, version FROM ${prefixOf(schema)}threads
     WHERE (tenant, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [threads.map(({ tenant }) => tenant), threads.map(({ threadId }) => threadId)],
  )
  return rows.map((row) => ({
    tenant: row.tenant as string,
    threadId: row.id as string,
    version: Number(row.version),
  }))
}

function toBytes(hex: unknown): Uint8Array | undefined {
  return typeof hex === 'string' ? new Uint8Array(Buffer.from(hex, 'hex')) : undefined
}
