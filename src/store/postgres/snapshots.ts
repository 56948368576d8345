import type { SnapshotWrite } from '../../ports/snapshot.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { HeadMac, SignedSnapshot } from '../../protocol/chain/audit-key.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { isGenuine, signSnapshot } from '../shared/snapshot.ts'
import type { SqlRow } from '../sql/dialect.ts'
import { JOINED_CODE } from '../sql/joined-entries.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { type LoadThread, readThread, type View } from './read.ts'
import type { StoreTime } from './time.ts'

/** A snapshot as the SQL function takes it. */
export function snapshotValues(snapshot: SnapshotWrite | undefined): string | null {
  if (!snapshot) return null
  const { fold, body, chunks } = snapshot
  return JSON.stringify({ fold, body, ...(chunks && { first: chunks.first, chunks: chunks.bodies }) })
}

/** Signs the snapshot that the transaction has just written. */
export async function signWritten(
  run: Run,
  { schema, tenant, trust }: View,
  { threadId, ...snapshot }: SignedSnapshot & { threadId: string },
): Promise<void> {
  const mac = signSnapshot(trust.auditKeys, { tenant, threadId }, snapshot)
  const prefix = prefixOf(schema)
  await run(
    `UPDATE ${prefix}snapshots SET mac_key = $4, mac = $5
     WHERE thread = (SELECT no FROM ${prefix}threads WHERE tenant = $1 AND id = $2) AND fold = $3`,
    [tenant, threadId, snapshot.fold, mac?.key ?? null, mac ? Buffer.from(mac.mac) : null],
  )
}

/** A snapshot as stored. It may belong to another history, or be forged. */
interface FoundSnapshot extends SignedSnapshot {
  readonly mac: HeadMac | null
  readonly chunks: string[] | undefined
}

/** What to read of a thread. */
interface SnapshotQuery {
  readonly threadId: string
  readonly fold: number
  readonly chunks: boolean
  readonly time: StoreTime
  readonly load?: LoadThread
}

/** Reads a thread from its snapshot on, if there is one that belongs to its history; else from its beginning. */
export async function readFromSnapshot(run: Run, view: View, query: SnapshotQuery): Promise<ThreadSlice> {
  const { tenant, trust } = view
  const { fold: _fold, chunks: _chunks, ...thread } = query
  const { threadId } = thread
  const found = await findSnapshot(run, view, query)
  if (found && isGenuine(trust.auditKeys, { tenant, threadId }, found)) {
    const { version, hash, body, chunks } = found
    const slice = await readThread(run, view, { ...thread, after: version })
    if (slice.version >= version && slice.follows === toHex(hash))
      return { ...slice, snapshot: { version, body, ...(chunks && { chunks }) } }
  }
  return readThread(run, view, { ...thread, after: 0 })
}

/** Chunks are joined, so that they come with the snapshot. */
async function findSnapshot(
  run: Run,
  { schema, tenant }: View,
  { threadId, fold, chunks }: Pick<SnapshotQuery, 'threadId' | 'fold' | 'chunks'>,
): Promise<FoundSnapshot | undefined> {
  const prefix = prefixOf(schema)
  const joined = `, p.count, p.joined FROM ${prefix}snapshots s CROSS JOIN LATERAL (
    SELECT count(*) AS count, string_agg(c.body, chr(${JOINED_CODE}) ORDER BY c.number) AS joined
    FROM ${prefix}chunks c WHERE c.thread = s.thread AND c.fold = s.fold) p`
  const [row] = await run.kept(
    `SELECT s.thread, s.version, encode(s.hash, 'hex') AS hash, s.body, s.mac_key, encode(s.mac, 'hex') AS mac
     ${chunks ? joined : `FROM ${prefix}snapshots s`}
     WHERE s.thread = (SELECT no FROM ${prefix}threads t WHERE t.tenant = $1 AND t.id = $2) AND s.fold = $3`,
    [tenant, threadId, fold],
  )
  if (!row) return undefined
  const mac = typeof row.mac_key === 'string' ? { key: row.mac_key, mac: Buffer.from(String(row.mac), 'hex') } : null
  const found = {
    fold,
    version: Number(row.version),
    hash: Buffer.from(String(row.hash), 'hex'),
    body: String(row.body),
  }
  return { ...found, mac, chunks: chunks ? await splitChunks(run, schema, { ...row, fold }) : undefined }
}

/** The chunks of a row. A store takes any string: if one contains the separator, they are read one by one. */
async function splitChunks(run: Run, schema: string, { thread, fold, count, joined }: SqlRow): Promise<string[]> {
  const parts = typeof joined === 'string' ? joined.split(String.fromCharCode(JOINED_CODE)) : []
  if (parts.length === Number(count)) return parts
  const sql = `SELECT body FROM ${prefixOf(schema)}chunks WHERE thread = $1 AND fold = $2 ORDER BY number`
  return (await run(sql, [thread, fold])).map(({ body }) => String(body))
}
