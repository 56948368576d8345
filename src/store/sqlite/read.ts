import type { ThreadSlice } from '../../ports/store.ts'
import type { ThreadPage, ThreadQuery } from '../../ports/store-lists.ts'
import type { ChainedEntry, ThreadHead } from '../../ports/stored-entry.ts'
import { CHAIN_START, toHex } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned } from '../shared/audit.ts'
import { liveLease } from '../shared/lease.ts'
import { type ChainRange, chainRange, versionBefore } from '../shared/page.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import { checkRead, type Trust, type Verify } from '../shared/verify.ts'
import { planThreads } from '../sql/find-threads.ts'
import { addJoined, JOINED_CODE, joinedEntry, type LinkedEntries, LONGEST_JOINED } from '../sql/joined-entries.ts'
import type { PointedEntries } from '../sql/pointed-entry.ts'
import type { Connection } from './connection/connection.ts'
import { toBytes } from './connection/driver.ts'
import { HEAD_COLUMNS, HEAD_LENGTH, type Head, readHead, toHead } from './heads.ts'
import { SQLITE } from './tables/schema.ts'

/** How many entries are transferred as one string. */
const JOINED = 64

/** The statements that read a thread. Columns that are not verified are not read. */
function statements(verify: Verify) {
  const link = verify === 'chain' ? ', salt, hash' : ''
  /** The entries after one number and up to another. */
  const join = (thread: string) => `
  SELECT group_concat(iif(octet_length(body) > ${LONGEST_JOINED}, char(${JOINED_CODE}), ${joinedEntry(SQLITE, verify)}), char(${JOINED_CODE})) FROM (
    SELECT at, body${link} FROM entries WHERE thread = ${thread} AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${JOINED}
  )`
  return {
    thread: `SELECT ${HEAD_COLUMNS}, (SELECT hash FROM entries WHERE thread = no AND seq = ?) AS previous,
    EXISTS (SELECT 1 FROM entries WHERE thread = no AND seq > version) AS beyond, (${join('no')}) AS joined
    FROM threads WHERE tenant = ? AND id = ?`,
    joined: join('?'),
    entries: `SELECT seq, at, body${link} FROM entries WHERE thread = ? AND seq > ? AND seq <= ? ORDER BY seq`,
  }
}

const STATEMENTS = { chain: statements('chain'), envelope: statements('envelope') } as const

/** The tenant to read, and how to verify reads. */
export interface View {
  readonly connection: Connection
  readonly tenant: string
  readonly trust: Trust
}

/** Reads a thread. Entries never change and are never removed, so several statements see one state if all stop at the version of the first. */
export function readThread(
  { connection, tenant, trust }: View,
  { threadId, after, time }: { threadId: string; after: number; time: number },
): ThreadSlice {
  const start = versionBefore(after)
  const row = connection.list(STATEMENTS[trust.verify].thread).get([start, start, start + JOINED, tenant, threadId])
  const head = toHead(row)
  const { no, version } = head
  const thread = { store: trust.store, tenant, threadId }
  checkSigned(trust.auditKeys, thread, head, 'read')
  if (head.erased) throw new ThreadErased(threadId)
  const [before, beyond, first] = row?.slice(HEAD_LENGTH) ?? []
  const previous = previousOf(head, start, before)
  const found = readBetween(connection, { no, from: start, to: version, verify: trust.verify, first })
  checkRead(trust.verify, {
    ...thread,
    ...found,
    after: Math.min(start, version),
    previous,
    end: head,
    beyond: beyond === 1,
  })
  // An append usually follows and need not read the head again.
  if (no !== 0) connection.heads.set(tenant, threadId, head)
  const now = steadyTime(time, head.at)
  const heads = { head: head.head, follows: toHex(previous ?? head.hash) }
  return { version, ...heads, entries: found.entries, lease: liveLease(head.lease, now), wake: { ...head.wake }, now }
}

/** The entries after one number and up to another, with their links. `first`: as many of them as are joined, if they were read already. */
export function readBetween(
  connection: Connection,
  { no, from: start, to: end, verify, first }: EntryRange & { first?: unknown },
): LinkedEntries {
  const found: LinkedEntries = { entries: [], links: [] }
  for (let from = start; from < end; from += JOINED) {
    const to = Math.min(from + JOINED, end)
    const isRead = from === start && first !== undefined
    const joined = isRead ? first : connection.list(STATEMENTS[verify].joined).get([no, from, to])?.[0]
    if (!addJoined(found, joined, from, to)) addEntries(found, connection, { no, from, to, verify })
  }
  return found
}

/** The hash of the entry at `start`. `undefined`: its row is missing. */
function previousOf({ version, hash }: Head, start: number, before: unknown): Uint8Array | undefined {
  if (start === 0) return CHAIN_START
  if (start > version) return hash
  return before === null || before === undefined ? undefined : toBytes(before)
}

/** The entries of a thread after one number and up to another. */
interface EntryRange {
  readonly no: number
  readonly from: number
  readonly to: number
  readonly verify: Verify
}

/** Adds entries that cannot be joined, one by one. */
function addEntries(
  { entries, links }: LinkedEntries,
  connection: Connection,
  { no, from, to, verify }: EntryRange,
): void {
  for (const [seq, at, body, salt, hash] of connection.list(STATEMENTS[verify].entries).all([no, from, to])) {
    entries.push({ seq: seq as number, at: at as number, body: body as string })
    if (verify === 'chain') links.push({ salt: toBytes(salt), hash: toBytes(hash) })
  }
}

/** Reads and verifies the doubtful threads as a whole: an `erased` entry may account for a broken link. */
export function checkThreads(view: View, { doubtful }: PointedEntries): void {
  for (const threadId of doubtful) readThread(view, { threadId, after: 0, time: 0 })
}

/** The end of a thread. */
export function readEnd(connection: Connection, tenant: string, threadId: string): ThreadHead {
  const { version, hash, mac, erased } = readHead(connection, tenant, threadId)
  return { version, hash, mac, ...(erased ? { erased } : {}) }
}

/** A thread's entries with their links. */
export function readChain(
  { connection, tenant }: Pick<View, 'connection' | 'tenant'>,
  threadId: string,
  range?: ChainRange,
): ChainedEntry[] {
  const { after, limit } = chainRange(range)
  return connection
    .statement(
      `SELECT seq, at, body, salt, hash FROM entries
       WHERE thread = (SELECT no FROM threads WHERE tenant = ? AND id = ?) AND seq > ? ORDER BY seq LIMIT ?`,
    )
    .all([tenant, threadId, after, limit ?? -1])
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
