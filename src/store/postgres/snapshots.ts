import type { ChunksWanted } from '../../ports/snapshot.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { HeadMac, SignedSnapshot } from '../../protocol/chain/audit-key.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { isGenuine, signSnapshot } from '../shared/snapshot.ts'
import type { SqlRow } from '../sql/dialect.ts'
import { JOINED_CODE } from '../sql/joined-entries.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { loadRow, readThread, type ThreadRead, toSlice, type View } from './read.ts'

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
  { fold, chunks, ...read }: ThreadRead & { fold: number; chunks: ChunksWanted },
): Promise<ThreadSlice> {
  const { schema, tenant, trust } = view
  const row = await loadRow(run, view, { ...read, fold, chunks })
  const found = toFound(row, fold)
  if (!found) return toSlice(run, view, { ...read, start: 0, row })
  if (isGenuine(trust.auditKeys, { tenant, threadId: read.threadId }, found)) {
    const { version, hash, body } = found
    const slice = await toSlice(run, view, { ...read, start: version, row })
    if (slice.follows === toHex(hash)) {
      const kept = chunks === false ? undefined : await toChunks(run, schema, { ...row, fold, chunks })
      return { ...slice, snapshot: { version, body, ...(kept && { chunks: kept }) } }
    }
  }
  return readThread(run, view, { ...read, after: 0 })
}

function toFound(row: SqlRow, fold: number): FoundSnapshot | undefined {
  const { s_version, s_hash, s_body, s_mac_key, s_mac } = row
  if (s_version === null) return undefined
  const mac = typeof s_mac_key === 'string' ? { key: s_mac_key, mac: Buffer.from(String(s_mac), 'hex') } : null
  return { fold, version: Number(s_version), hash: Buffer.from(String(s_hash), 'hex'), body: String(s_body), mac }
}

/** The chunks of a row. A store takes any string: if one contains the separator, they are read one by one, or not at all if a few were asked for. */
async function toChunks(
  run: Run,
  schema: string,
  { no, fold, chunks, s_count, s_joined }: SqlRow,
): Promise<string[] | undefined> {
  const parts = typeof s_joined === 'string' ? s_joined.split(String.fromCharCode(JOINED_CODE)) : []
  if (parts.length === Number(s_count)) return parts
  if (chunks === 'few') return undefined
  const sql = `SELECT body FROM ${prefixOf(schema)}chunks WHERE thread = $1 AND fold = $2 ORDER BY number`
  return (await run(sql, [no, fold])).map(({ body }) => String(body))
}
