import type { ChainedEntry, StoredEntry, ThreadSlice } from '../../ports/store.ts'
import { liveLease } from '../shared/lease.ts'
import type { Connection } from './connection.ts'
import { toBytes } from './driver.ts'
import { HEAD_COLUMNS, toHead } from './heads.ts'

/** So many entries come with the thread's row, joined into one text: handing each over by itself costs more than finding it. */
const JOINED = 64

/** No text of JSON has this character as it is, so it tells where one ends. */
const SEPARATOR = '\u001e'

/** A body that is too long to be joined leaves a separator instead, so that the parts are more than the entries. */
const SELECT_THREAD = `SELECT ${HEAD_COLUMNS}, (
    SELECT group_concat(iif(octet_length(body) > 65536, char(30), at || ' ' || body), char(30)) FROM (
      SELECT at, body FROM entries WHERE thread = no AND seq > ? ORDER BY seq LIMIT ${JOINED}
    )
  ) FROM threads WHERE tenant = ? AND id = ?`

const SELECT_ENTRIES = 'SELECT seq, at, body FROM entries WHERE thread = ? AND seq > ? AND seq <= ? ORDER BY seq'

/** Entries never change and are never taken away, so two statements see one state as long as the second stops at the first's version. */
export function readThread(
  connection: Connection,
  tenant: string,
  { threadId, after, time }: { threadId: string; after: number; time: number },
): ThreadSlice {
  const row = connection.list(SELECT_THREAD).get([after, tenant, threadId])
  const head = toHead(row)
  // The append that mostly follows need not read it again.
  if (head.no !== 0) connection.heads.set(tenant, threadId, head)
  const now = Math.max(time, head.at)
  const entries = split(row?.[8] as string | null | undefined, after, head.version)
  const from = after + entries.length
  if (head.version > from) {
    for (const [seq, at, body] of connection.list(SELECT_ENTRIES).all([head.no, from, head.version]))
      entries.push({ seq: seq as number, at: at as number, body: body as string })
  }
  return { version: head.version, entries, lease: liveLease(head.lease, now), now }
}

/** The joined entries; none if one is too long, or has a separator of its own, since a store takes any text. */
function split(joined: string | null | undefined, after: number, version: number): StoredEntry[] {
  if (joined === null || joined === undefined) return []
  const parts = joined.split(SEPARATOR)
  if (parts.length !== Math.min(JOINED, version - after)) return []
  return parts.map((part, index) => {
    const space = part.indexOf(' ')
    return { seq: after + 1 + index, at: Number(part.slice(0, space)), body: part.slice(space + 1) }
  })
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
