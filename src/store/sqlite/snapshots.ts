import type { SnapshotWrite } from '../../ports/snapshot.ts'
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

/** Writes the snapshot of a thread, in the place of an earlier one of the same fold. Call it inside a write transaction. */
export function writeSnapshot(
  connection: Connection,
  thread: number,
  { fold, body, version, hash, mac }: SnapshotWrite & SnapshotEnd & { mac: HeadMac | null },
): void {
  connection
    .statement(
      `INSERT INTO snapshots (thread, fold, version, hash, body, mac_key, mac) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (thread, fold) DO UPDATE SET version = excluded.version, hash = excluded.hash, body = excluded.body,
         mac_key = excluded.mac_key, mac = excluded.mac`,
    )
    .run([thread, fold, version, hash, body, mac?.key ?? null, mac?.mac ?? null])
}

/** A snapshot as stored. It may belong to another history, or be forged. */
interface FoundSnapshot extends SnapshotWrite, SnapshotEnd {
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

/** Reads a thread after a version or, with a fold, from its snapshot on, if there is one that belongs to its history; else from its beginning. */
export function readSlice(
  view: View,
  { threadId, after = 0, snapshot: fold, time }: { threadId: string; after?: number; snapshot?: number; time: number },
): ThreadSlice {
  if (fold === undefined) return readThread(view, { threadId, after, time })
  const { connection, tenant, trust } = view
  const found = findSnapshot(connection, { tenant, threadId }, fold)
  if (found && isGenuine(trust.auditKeys, { tenant, threadId }, found)) {
    const { version, body } = found
    const slice = readThread(view, { threadId, after: version, time })
    if (slice.version >= version && slice.follows === toHex(found.hash))
      return { ...slice, snapshot: { version, body } }
  }
  return readThread(view, { threadId, after: 0, time })
}
