import type { ChainedEntry, StoredEntry, ThreadPage, ThreadQuery, ThreadSlice } from '../../ports/store.ts'
import { liveLease } from '../shared/lease.ts'
import { versionBefore } from '../shared/page.ts'
import { planThreads } from '../sql/find-threads.ts'
import { JOINED_CODE, LONGEST_JOINED, splitEntries } from '../sql/joined-entries.ts'
import { toEntry } from '../sql/stored-request.ts'
import type { Run } from './connection.ts'
import { prefixOf } from './place.ts'
import { dialectOf, numbered } from './schema.ts'
import type { StoreTime } from './time.ts'

/** Whose data is read, and where it is. */
export interface View {
  readonly schema: string
  readonly tenant: string
}

/** So many entries are handed over as one text: more than most threads have, since another piece is another round trip. */
const JOINED = 1000

/**
 * Entries never change and are never taken away, so several statements see one state as long as all stop at the first's version. There is a row even
 * if there is no thread, for the time.
 */
export async function readThread(
  run: Run,
  { schema, tenant }: View,
  { threadId, after, time }: { threadId: string; after: number; time: StoreTime },
): Promise<ThreadSlice> {
  const prefix = prefixOf(schema)
  const start = versionBefore(after)
  const [head] = await run.kept(
    `SELECT c.now, t.no, t.version, t.at, t.lease_token, t.lease_holder, t.lease_until, (${joinEntries(prefix, 't.no')}) AS joined
     FROM (SELECT ${prefix}clock_ms($5, $6) AS now) c LEFT JOIN ${prefix}threads t ON t.tenant = $3 AND t.id = $4`,
    [start, start + JOINED, tenant, threadId, ...time.values()],
  )
  const { no, lease_token, lease_holder, lease_until, ...row } = head!
  const version = Number(row.version ?? 0)
  const now = time.saw(Math.max(Number(row.now), Number(row.at ?? 0)))
  const entries: StoredEntry[] = []
  let { joined } = row
  for (let from = start; from < version; from += JOINED) {
    const to = Math.min(from + JOINED, version)
    if (from > start) joined = (await run.kept(joinEntries(prefix, '$3'), [from, to, no]))[0]?.joined
    for (const entry of splitEntries(joined, from, to) ?? (await readEntries(run, prefix, { no, from, to })))
      entries.push(entry)
  }
  const slot = {
    token: Number(lease_token ?? 0),
    holder: lease_holder as string | null,
    until: Number(lease_until ?? 0),
  }
  return { version, entries, lease: liveLease(slot, now), now }
}

/** The entries after `$1` and up to `$2`, found by the index however many come before them. */
function joinEntries(prefix: string, thread: string): string {
  const separator = `chr(${JOINED_CODE})`
  return `SELECT string_agg(CASE WHEN octet_length(e.body) > ${LONGEST_JOINED} THEN ${separator} ELSE e.at || ' ' || e.body END, ${separator} ORDER BY e.seq) AS joined
    FROM ${prefix}entries e WHERE e.thread = ${thread} AND e.seq > $1::bigint AND e.seq <= $2::bigint`
}

async function readEntries(
  run: Run,
  prefix: string,
  { no, from, to }: { no: unknown; from: number; to: number },
): Promise<StoredEntry[]> {
  const rows = await run(
    `SELECT seq, at, body FROM ${prefix}entries WHERE thread = $1 AND seq > $2 AND seq <= $3 ORDER BY seq`,
    [no, from, to],
  )
  return rows.map(({ seq, at, body }) => toEntry(seq, at, body))
}

/** A thread's entries with their links. */
export async function readChain(run: Run, { schema, tenant }: View, threadId: string): Promise<ChainedEntry[]> {
  const prefix = prefixOf(schema)
  const rows = await run(
    `SELECT seq, at, body, encode(salt, 'hex') AS salt, encode(hash, 'hex') AS hash FROM ${prefix}entries
     WHERE thread = (SELECT no FROM ${prefix}threads WHERE tenant = $1 AND id = $2) ORDER BY seq`,
    [tenant, threadId],
  )
  return rows.map(({ seq, at, body, salt, hash }) => ({
    ...toEntry(seq, at, body),
    salt: toBytes(salt),
    hash: toBytes(hash),
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

/** The versions of those threads that are there. */
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

function toBytes(hex: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(hex as string, 'hex'))
}
