import { type ChunksWanted, FEW_CHUNKS, SHORT_CHUNK, type SnapshotWrite } from '../../ports/snapshot.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { HeadMac } from '../../protocol/chain/audit-key.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { isGenuine } from '../shared/snapshot.ts'
import type { Connection } from './connection/connection.ts'
import { toBytes } from './connection/driver.ts'
import { readThread, type View } from './read.ts'

/** The end of a thread that a snapshot is the state of. */
interface SnapshotEnd {
  readonly version: number
  readonly hash: Uint8Array
}

/** Writes the snapshot of a thread, in the place of an earlier one of the same fold, and its new chunks. Call it inside a write transaction. */
export function writeSnapshot(
  connection: Connection,
  thread: number,
  { fold, body, version, hash, mac, chunks }: SnapshotWrite & SnapshotEnd & { mac: HeadMac | null },
): void {
  connection
    .statement(
      `INSERT INTO snapshots (thread, fold, version, hash, body, mac_key, mac) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (thread, fold) DO UPDATE SET version = excluded.version, hash = excluded.hash, body = excluded.body,
         mac_key = excluded.mac_key, mac = excluded.mac`,
    )
    .run([thread, fold, version, hash, body, mac?.key ?? null, mac?.mac ?? null])
  for (const [index, chunk] of chunks?.bodies.entries() ?? [])
    connection
      .statement(
        `INSERT INTO chunks (thread, fold, number, body) VALUES (?, ?, ?, ?)
         ON CONFLICT (thread, fold, number) DO UPDATE SET body = excluded.body`,
      )
      .run([thread, fold, chunks!.first + index, chunk])
}

/** The chunks of a thread, in order. One by one: they are so long that joining them would take longer. */
function readChunks(
  connection: Connection,
  { tenant, threadId }: { tenant: string; threadId: string },
  { fold, wanted }: { fold: number; wanted: Exclude<ChunksWanted, false> },
): string[] {
  const isFew = wanted === 'few'
  const body = isFew ? `CASE WHEN octet_length(body) <= ${SHORT_CHUNK} THEN body END` : 'body'
  const limit = isFew ? `LIMIT ${FEW_CHUNKS + 1}` : ''
  const rows = connection
    .list(
      `SELECT ${body} FROM chunks WHERE thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?) AND fold = ? ORDER BY number ${limit}`,
    )
    .all([tenant, threadId, fold])
  if (isFew && (rows.length > FEW_CHUNKS || rows.some(([short]) => short === null))) return []
  return rows.map(([body]) => body as string)
}

/** A snapshot as stored. It may belong to another history, or be forged. */
interface FoundSnapshot extends Omit<SnapshotWrite, 'chunks'>, SnapshotEnd {
  readonly mac: HeadMac | null
}

/** Reads the snapshot of a thread. */
function findSnapshot(
  connection: Connection,
  { tenant, threadId }: { tenant: string; threadId: string },
  fold: number,
): FoundSnapshot | undefined {
  const row = connection
    .list(
      `SELECT version, hash, body, mac_key, mac FROM snapshots
       WHERE thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?) AND fold = ?`,
    )
    .get([tenant, threadId, fold])
  if (!row) return undefined
  const [version, hash, body, key, mac] = row
  return {
    fold,
    version: version as number,
    hash: toBytes(hash),
    body: body as string,
    mac: key === null ? null : { key: key as string, mac: toBytes(mac) },
  }
}

/** What to read of a thread. */
interface SliceQuery {
  readonly threadId: string
  readonly after?: number
  /** The fold of the snapshot to begin with. */
  readonly snapshot?: number
  readonly chunks?: ChunksWanted
  readonly time: number
}

/** Reads a thread after a version or, with a fold, from its snapshot on, if there is one that belongs to its history; else from its beginning. */
export function readSlice(
  view: View,
  { threadId, after = 0, snapshot: fold, chunks = false, time }: SliceQuery,
): ThreadSlice {
  if (fold === undefined) return readThread(view, { threadId, after, time })
  const { connection, tenant, trust } = view
  const found = findSnapshot(connection, { tenant, threadId }, fold)
  if (found && isGenuine(trust.auditKeys, { tenant, threadId }, found)) {
    const { version, body } = found
    const slice = readThread(view, { threadId, after: version, time })
    const pieces =
      chunks === false ? {} : { chunks: readChunks(connection, { tenant, threadId }, { fold, wanted: chunks }) }
    if (slice.version >= version && slice.follows === toHex(found.hash))
      return { ...slice, snapshot: { version, body, ...pieces } }
  }
  return readThread(view, { threadId, after: 0, time })
}
