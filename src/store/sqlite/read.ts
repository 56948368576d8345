import type { ChainedEntry, StoredEntry, ThreadPage, ThreadQuery, ThreadSlice } from '../../ports/store.ts'
import { liveLease } from '../shared/lease.ts'
import { versionBefore } from '../shared/page.ts'
import { planThreads } from '../sql/find-threads.ts'
import { JOINED_CODE, LONGEST_JOINED, splitEntries } from '../sql/joined-entries.ts'
import type { Connection } from './connection.ts'
import { toBytes } from './driver.ts'
import { HEAD_COLUMNS, toHead } from './heads.ts'
import { SQLITE } from './schema.ts'

/** So many entries are handed over as one text. */
const JOINED = 64

/** The entries after one number and up to another. */
const joinEntries = (thread: string) => `
  SELECT group_concat(iif(octet_length(body) > ${LONGEST_JOINED}, char(${JOINED_CODE}), at || ' ' || body), char(${JOINED_CODE})) FROM (
    SELECT at, body FROM entries WHERE thread = ${thread} AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${JOINED}
  )`
const SELECT_THREAD = `SELECT ${HEAD_COLUMNS}, (${joinEntries('no')}) FROM threads WHERE tenant = ? AND id = ?`
const SELECT_JOINED = joinEntries('?')
const SELECT_ENTRIES = 'SELECT seq, at, body FROM entries WHERE thread = ? AND seq > ? AND seq <= ? ORDER BY seq'

/** Entries never change and are never taken away, so several statements see one state as long as all stop at the first's version. */
export function readThread(
  connection: Connection,
  tenant: string,
  { threadId, after, time }: { threadId: string; after: number; time: number },
): ThreadSlice {
  const start = versionBefore(after)
  const row = connection.list(SELECT_THREAD).get([start, start + JOINED, tenant, threadId])
  const head = toHead(row)
  const { no, version } = head
  // The append that mostly follows need not read it again.
  if (no !== 0) connection.heads.set(tenant, threadId, head)
  const entries: StoredEntry[] = []
  let joined = row?.[8]
  for (let from = start; from < version; from += JOINED) {
    const to = Math.min(from + JOINED, version)
    if (from > start) joined = connection.list(SELECT_JOINED).get([no, from, to])?.[0]
    for (const entry of splitEntries(joined, from, to) ?? readEntries(connection, no, { from, to })) entries.push(entry)
  }
  const now = Math.max(time, head.at)
  return { version, entries, lease: liveLease(head.lease, now), now }
}

function readEntries(connection: Connection, no: number, { from, to }: { from: number; to: number }): StoredEntry[] {
  const rows = connection.list(SELECT_ENTRIES).all([no, from, to])
  return rows.map(([seq, at, body]) => ({ seq: seq as number, at: at as number, body: body as string }))
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

/** A page of the threads of all tenants. */
export function findThreads(connection: Connection, query?: ThreadQuery): ThreadPage {
  const { query: find, page } = planThreads(SQLITE, query)
  return page(connection.statement(find.sql).all(find.values))
}

/** A thread's version. */
export function readVersion(connection: Connection, tenant: string, threadId: string): number {
  const row = connection.statement('SELECT version FROM threads WHERE tenant = ? AND id = ?').get([tenant, threadId])
  return (row?.version as number | undefined) ?? 0
}
