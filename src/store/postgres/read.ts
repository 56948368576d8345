import type { ChainedEntry, ThreadPage, ThreadQuery, ThreadSlice } from '../../ports/store.ts'
import { liveLease } from '../shared/lease.ts'
import { planThreads } from '../sql/find-threads.ts'
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

/** One statement, so that head and entries are of one moment. There is at least one row, for the time. */
export async function readThread(
  run: Run,
  { schema, tenant }: View,
  { threadId, after, time }: { threadId: string; after: number; time: StoreTime },
): Promise<ThreadSlice> {
  const prefix = prefixOf(schema)
  const rows = await run(
    `SELECT c.now, t.version, t.at AS head_at, t.lease_token, t.lease_holder, t.lease_until, e.seq, e.at, e.body
     FROM (SELECT ${prefix}clock_ms($4, $5) AS now) c
       LEFT JOIN ${prefix}threads t ON t.tenant = $1 AND t.id = $2
       LEFT JOIN ${prefix}entries e ON e.thread = t.no AND e.seq > $3::double precision
     ORDER BY e.seq`,
    [tenant, threadId, after, ...time.values()],
  )
  const head = rows[0]!
  const now = time.saw(Math.max(Number(head.now), Number(head.head_at ?? 0)))
  const slot = {
    token: Number(head.lease_token ?? 0),
    holder: head.lease_holder as string | null,
    until: Number(head.lease_until ?? 0),
  }
  return {
    version: Number(head.version ?? 0),
    entries: rows.flatMap(({ seq, at, body }) => (seq === null ? [] : [toEntry(seq, at, body)])),
    lease: liveLease(slot, now),
    now,
  }
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
