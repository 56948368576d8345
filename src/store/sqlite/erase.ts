import type { Append } from '../../ports/store.ts'
import type { Connection } from './connection/connection.ts'
import { SqliteFailure } from './connection/driver.ts'
import type { Head } from './heads.ts'

/** A thread whose row was just written. `before`: its version before the append. */
interface ErasedPlace {
  readonly tenant: string
  readonly threadId: string
  readonly head: Head
  readonly before: number
}

/** Replaces every body and salt of a thread, and removes its requests and grants. Consumers of the outbox learn it. Call it inside a write transaction. */
export function eraseThread(
  connection: Connection,
  { tenant, threadId, head, before }: ErasedPlace,
  { body, salt }: NonNullable<Append['erase']>,
): void {
  const { no, at } = head
  connection
    .statement('UPDATE entries SET body = ?, salt = ? WHERE thread = ? AND seq <= ?')
    .run([body, salt, no, before])
  connection.statement('DELETE FROM requests WHERE thread = ?').run([no])
  connection.statement('DELETE FROM grants WHERE thread = ?').run([no])
  connection.statement('UPDATE threads SET erased_at = ? WHERE no = ?').run([at, no])
  connection
    .statement(
      `INSERT INTO outbox (tenant, thread, subject, id, what, version, at) VALUES (?, ?, 'thread', ?, 'erased', 0, ?)`,
    )
    .run([tenant, no, threadId, at])
  connection.heads.set(tenant, threadId, { ...head, erased: true })
}

/** Removes what deleted rows left behind. `read` repeats what others keep it from. */
export async function scrub(read: (work: (connection: Connection) => void) => Promise<void>): Promise<void> {
  // The whole file is written anew: pages that were split before have copies of rows in their free space.
  await read((connection) => connection.exec('VACUUM'))
  await read(emptyLog)
}

/** Empties the write-ahead log. Busy while others read what is only there. */
function emptyLog(connection: Connection): void {
  const row = connection.statement('PRAGMA wal_checkpoint(TRUNCATE)').get([])
  if (row?.busy !== 0) throw new SqliteFailure(SQLITE_BUSY, new Error('others read the write-ahead log'))
}

const SQLITE_BUSY = 5
