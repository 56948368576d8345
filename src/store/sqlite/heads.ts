import type { WakeMark } from '../../ports/wake.ts'
import type { HeadMac } from '../../protocol/chain/audit-key.ts'
import { CHAIN_START, toHex } from '../../protocol/chain/chain.ts'
import type { ThreadHead } from '../shared/guards.ts'
import { NO_LEASE } from '../shared/lease.ts'
import { threadKey } from '../shared/thread-key.ts'
import { NO_WAKE } from '../shared/wake.ts'
import { toWake, WAKE_COLUMNS } from '../sql/wake.ts'
import { type ListStatement, type SqlValue, type Statement, toBytes } from './connection/driver.ts'

/** A thread's row. `no` 0: it does not exist yet. */
export interface Head extends ThreadHead {
  readonly no: number
  readonly rev: number
  /** The hash of the last entry. */
  readonly hash: Uint8Array
  readonly mac: HeadMac | null
  readonly wake: WakeMark
  readonly erased: boolean
}

/**
 * A cache of recently written thread rows, so that the next append need not read them. Another process may have changed a row since:
 * {@link writeHead} detects that, and an append is never refused because of a cached row.
 */
export interface Heads {
  get(tenant: string, threadId: string): Head | undefined
  set(tenant: string, threadId: string, head: Head): void
  /** Call it after a rollback. */
  clear(): void
}

/** The part of a connection that reads and writes heads. */
interface HeadConnection {
  statement(sql: string): Statement
  list(sql: string): ListStatement
  readonly heads: Heads
}

const REMEMBERED = 1024

/** Creates an empty cache. */
export function createHeads(): Heads {
  const heads = new Map<string, Head>()
  return {
    get: (tenant, threadId) => heads.get(threadKey(tenant, threadId)),
    set(tenant, threadId, head) {
      heads.set(threadKey(tenant, threadId), head)
      if (heads.size > REMEMBERED) heads.delete(heads.keys().next().value as string)
    },
    clear: () => heads.clear(),
  }
}

const NEW: Head = {
  no: 0,
  rev: 0,
  version: 0,
  at: Number.NEGATIVE_INFINITY,
  hash: CHAIN_START,
  head: toHex(CHAIN_START),
  mac: null,
  lease: NO_LEASE,
  wake: NO_WAKE,
  erased: false,
}

/** The columns of a row that {@link toHead} takes, in its order. */
export const HEAD_COLUMNS = `no, rev, version, at, head, lease_token, lease_holder, lease_until, mac_key, mac, ${WAKE_COLUMNS}, erased_at`
/** The number of these columns. */
export const HEAD_LENGTH = HEAD_COLUMNS.split(', ').length

const SELECT_HEAD = `SELECT ${HEAD_COLUMNS} FROM threads WHERE tenant = ? AND id = ?`

/** Reads a thread's row. */
export function readHead(connection: HeadConnection, tenant: string, threadId: string): Head {
  return toHead(connection.list(SELECT_HEAD).get([tenant, threadId]))
}

/** Builds a head from a thread's row, or the head of a thread that does not exist. */
export function toHead(row: readonly unknown[] | undefined): Head {
  if (!row) return NEW
  const hash = toBytes(row[4])
  return {
    no: row[0] as number,
    rev: row[1] as number,
    version: row[2] as number,
    at: row[3] as number,
    hash,
    head: toHex(hash),
    mac: row[8] === null ? null : { key: row[8] as string, mac: toBytes(row[9]) },
    lease: { token: row[5] as number, holder: row[6] as string | null, until: row[7] as number },
    wake: toWake(row.slice(10, 14)),
    erased: row[14] !== null,
  }
}

/** The thread of a head. */
export interface HeadAddress {
  tenant: string
  threadId: string
}

/** Further conditions for replacing a row: `sql` is {@link REPLACE_HEAD} with the conditions, which bind `values`. */
export interface HeadCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Replaces a row that is unchanged since it was read. */
export const REPLACE_HEAD = `UPDATE threads
  SET version = ?, at = ?, head = ?, mac_key = ?, mac = ?, lease_token = ?, lease_holder = ?, lease_until = ?, rev = rev + 1 WHERE no = ? AND rev = ?`

/**
 * Replaces a thread's row, but not its wake mark, and caches the new one. `undefined`: the row is no longer at `rev`, or the condition is not met, and nothing was written.
 * Conditions apply only to existing rows.
 */
export function writeHead(
  connection: HeadConnection,
  { tenant, threadId }: HeadAddress,
  { no, rev, ...row }: Head,
  condition?: HeadCondition,
): Head | undefined {
  const { version, at, hash, mac, lease } = row
  const values = [version, at, hash, mac?.key ?? null, mac?.mac ?? null, lease.token, lease.holder, lease.until]
  let written = no
  if (no === 0) {
    written = connection
      .statement(
        `INSERT INTO threads (version, at, head, mac_key, mac, lease_token, lease_holder, lease_until, tenant, id, rev)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) RETURNING no`,
      )
      .get([...values, tenant, threadId])?.no as number
  } else {
    const changes = condition
      ? connection.statement(condition.sql).run([...values, no, rev, ...condition.values])
      : connection.statement(REPLACE_HEAD).run([...values, no, rev])
    if (changes === 0) return undefined
  }
  const head: Head = { no: written, rev: rev + 1, ...row }
  connection.heads.set(tenant, threadId, head)
  return head
}
