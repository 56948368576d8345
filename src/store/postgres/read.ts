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
import { addJoined, type LinkedEntries, toLink } from '../sql/joined-entries.ts'
import type { PointedEntries } from '../sql/pointed-entry.ts'
import { toEntry } from '../sql/stored-request.ts'
import { toWake } from '../sql/wake.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { END_COLUMNS, JOINED, joinEntries, type LoadThread, loadThreads, type ThreadLoad } from './load.ts'
import { dialectOf, numbered } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** The tenant and schema to read, and how to verify reads. */
export interface View {
  readonly schema: string
  readonly tenant: string
  readonly trust: Trust
}

/** How to read a thread: its name, by which clock, and how its row is loaded. */
export interface ThreadRead {
  readonly threadId: string
  readonly time: StoreTime
  readonly load?: LoadThread
}

/** Reads a thread after a version. */
export async function readThread(
  run: Run,
  view: View,
  { after, ...read }: ThreadRead & { after: number },
): Promise<ThreadSlice> {
  const start = versionBefore(after)
  return toSlice(run, view, { ...read, start, row: await loadRow(run, view, { ...read, after: start }) })
}

/** Loads the row of a thread, with the snapshot of a fold if one is given. */
export async function loadRow(
  run: Run,
  { schema, tenant, trust: { verify } }: View,
  { threadId, time, load, after = 0, fold = null, chunks = false }: ThreadRead & Partial<ThreadLoad>,
): Promise<SqlRow> {
  const wanted = { tenant, threadId, after, fold, chunks }
  return load ? load(wanted) : (await loadThreads(run, { schema, verify, time }, [wanted]))[0]!
}

/**
 * A thread from its row, with its entries after `start`. Entries never change and are never removed, so several statements see one state if all stop at
 * the version of the first.
 */
export async function toSlice(
  run: Run,
  { schema, tenant, trust }: View,
  { threadId, time, start, row }: ThreadRead & { start: number; row: SqlRow },
): Promise<ThreadSlice> {
  const { verify } = trust
  const { no, lease_token, lease_holder, lease_until } = row
  const end = toEnd(row)
  const thread = { store: trust.store, tenant, threadId }
  checkSigned(trust.auditKeys, thread, end, 'read')
  if (row.erased_at !== null) throw new ThreadErased(threadId)
  const now = time.saw(steadyTime(Number(row.now), Number(row.at ?? 0)))
  const found: LinkedEntries = { entries: [], links: [] }
  for (let from = start; from < end.version; from += JOINED) {
    const to = Math.min(from + JOINED, end.version)
    const joined = from === start ? row : (await run.kept(joinEntries(schema, verify, NEXT), [from, to, no]))[0]
    if (!addJoined(found, joined?.joined, from, to)) await addEntries(found, run, { schema, verify, no, from, to })
  }
  const previous = previousOf(end, start, row.previous)
  checkRead(verify, {
    ...thread,
    ...found,
    after: Math.min(start, end.version),
    previous,
    end,
    beyond: row.beyond === 't',
  })
  const slot = {
    token: Number(lease_token ?? 0),
    holder: lease_holder as string | null,
    until: Number(lease_until ?? 0),
  }
  const heads = { head: toHex(end.hash), follows: toHex(previous ?? end.hash) }
  const wake = toWake([row.wake_at, row.wake_tries, row.run_agent, row.run_version])
  return { version: end.version, ...heads, entries: found.entries, lease: liveLease(slot, now), wake, now }
}

/** The entries that did not come with the row. */
const NEXT = { thread: '$3', after: '$1::bigint', upTo: '$2::bigint' }

/** The hash of the entry at `start`. `undefined`: its row is missing. */
function previousOf({ version, hash }: SignedEnd, start: number, before: unknown): Uint8Array | undefined {
  if (start === 0) return CHAIN_START
  return start > version ? hash : toBytes(before)
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
