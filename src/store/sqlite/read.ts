import type { ChainedEntry, ThreadSlice } from '../../ports/store.ts'
import { liveLease } from '../shared/lease.ts'
import type { Connection } from './connection.ts'
import { toBytes } from './driver.ts'
import { readHead } from './heads.ts'

/** Entries never change and are never taken away, so two statements see one state as long as the second stops at the first's version. */
export function readThread(
  connection: Connection,
  tenant: string,
  { threadId, after, time }: { threadId: string; after: number; time: number },
): ThreadSlice {
  const head = readHead(connection, tenant, threadId)
  // The append that mostly follows need not read it again.
  if (head.no !== 0) connection.heads.set(tenant, threadId, head)
  const now = Math.max(time, head.at)
  const rows =
    head.version > after
      ? connection
          .list('SELECT seq, at, body FROM entries WHERE thread = ? AND seq > ? AND seq <= ? ORDER BY seq')
          .all([head.no, after, head.version])
      : []
  return {
    version: head.version,
    entries: rows.map(([seq, at, body]) => ({ seq: seq as number, at: at as number, body: body as string })),
    lease: liveLease(head.lease, now),
    now,
  }
}

/** A thread's entries with their links. */
export function readChain(connection: Connection, tenant: string, threadId: string): ChainedEntry[] {
  return connection
    .statement(
      `SELECT seq, at, body, salt, hash FROM entries
       WHERE thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?) ORDER BY seq`,
    )
    .all([tenant, threadId])
    .map((row) => ({
      seq: row.seq as number,
      at: row.at as number,
      body: row.body as string,
      salt: toBytes(row.salt),
      hash: toBytes(row.hash),
    }))
}

/** A thread's version. */
export function readVersion(connection: Connection, tenant: string, threadId: string): number {
  const row = connection.statement('SELECT version FROM threads WHERE tenant = ? AND id = ?').get([tenant, threadId])
  return (row?.version as number | undefined) ?? 0
}
