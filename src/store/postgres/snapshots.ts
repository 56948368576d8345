import type { ThreadSlice } from '../../ports/store.ts'
import type { HeadMac, SignedSnapshot } from '../../protocol/chain/audit-key.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { isGenuine, signSnapshot } from '../shared/snapshot.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { type LoadThread, readThread, type View } from './read.ts'
import type { StoreTime } from './time.ts'

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
}

/** Reads a thread from its snapshot on, if there is one that belongs to its history; else from its beginning. */
export async function readFromSnapshot(
  run: Run,
  view: View,
  query: { threadId: string; fold: number; time: StoreTime; load?: LoadThread },
): Promise<ThreadSlice> {
  const { tenant, trust } = view
  const { fold, ...thread } = query
  const { threadId } = thread
  const found = await findSnapshot(run, view, query)
  if (found && isGenuine(trust.auditKeys, { tenant, threadId }, found)) {
    const { version, hash, body } = found
    const slice = await readThread(run, view, { ...thread, after: version })
    if (slice.version >= version && slice.follows === toHex(hash)) return { ...slice, snapshot: { version, body } }
  }
  return readThread(run, view, { ...thread, after: 0 })
}

async function findSnapshot(
  run: Run,
  { schema, tenant }: View,
  { threadId, fold }: { threadId: string; fold: number },
): Promise<FoundSnapshot | undefined> {
  const prefix = prefixOf(schema)
  const [row] = await run.kept(
    `SELECT s.version, encode(s.hash, 'hex') AS hash, s.body, s.mac_key, encode(s.mac, 'hex') AS mac FROM ${prefix}snapshots s
     WHERE s.thread = (SELECT no FROM ${prefix}threads t WHERE t.tenant = $1 AND t.id = $2) AND s.fold = $3`,
    [tenant, threadId, fold],
  )
  if (!row) return undefined
  const mac = typeof row.mac_key === 'string' ? { key: row.mac_key, mac: Buffer.from(String(row.mac), 'hex') } : null
  return { fold, version: Number(row.version), hash: Buffer.from(String(row.hash), 'hex'), body: String(row.body), mac }
}
