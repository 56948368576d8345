import type { Append, AppendOutcome, LeaseClaim } from '../../ports/store.ts'
import { toHex } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned, signNew } from '../shared/audit.ts'
import { judgeGrants } from '../shared/grants.ts'
import { judgeThread, refusedRequest } from '../shared/guards.ts'
import { liveLease, renewLease } from '../shared/lease.ts'
import { signSnapshot } from '../shared/snapshot.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import type { Trust } from '../shared/verify.ts'
import { changeWake } from '../shared/wake.ts'
import type { Salts } from '../sql/salts.ts'
import type { Connection } from './connection/connection.ts'
import { linkEntries, writeEntries } from './entries.ts'
import { eraseThread } from './erase.ts'
import { findGrantHead, writeGrants } from './grants.ts'
import { type Head, readHead, writeHead } from './heads.ts'
import { applyRecords, judge } from './records.ts'
import { findRequestHead, guardOfOne, writeRequests } from './requests.ts'
import { writeSnapshot } from './snapshots.ts'
import { writeWake } from './wake.ts'

/** The context of an append. */
export interface AppendContext {
  readonly connection: Connection
  readonly tenant: string
  readonly time: number
  readonly salts: Salts
  readonly trust: Trust
}

/**
 * Judges an append and, unless it is refused, writes it. Call it inside a write transaction.
 *
 * Guards are judged before anything is written, so a refusal leaves nothing behind and needs no savepoint. A cached head may accept an append,
 * because the first write replaces the row only if it is unchanged and the guard of a single request holds. A cached head never refuses an append:
 * then everything is read and judged again.
 */
export function applyAppend(context: AppendContext, append: Append): AppendOutcome {
  const { connection, tenant } = context
  const remembered = connection.heads.get(tenant, append.threadId)
  const outcome = remembered && tryAppend(context, append, { head: remembered, sure: false })
  if (outcome?.ok) return outcome
  return tryAppend(context, append, { head: readHead(connection, tenant, append.threadId), sure: true })!
}

/** `undefined`: only the current head can decide. */
function tryAppend(
  context: AppendContext,
  append: Append,
  { head, sure }: { head: Head; sure: boolean },
): AppendOutcome | undefined {
  const { connection, tenant } = context
  const { store, auditKeys } = context.trust
  if (head.erased && !append.sign) throw new ThreadErased(append.threadId)
  const now = steadyTime(context.time, head.at)
  const thread = { store, tenant, threadId: append.threadId }
  if (head.version > 0) checkSigned(auditKeys, thread, head, append.sign ? 'sign' : 'append')
  if (append.sign && Buffer.compare(append.sign, head.hash) !== 0)
    return { ok: false, conflict: { kind: 'version', version: head.version }, now }
  const judged = judgeThread(head, append, now)
  if (!judged.ok) return { ok: false, conflict: judged.conflict, now }
  const { requests } = append
  const condition = requests && !sure ? guardOfOne(requests, { tenant, thread: head.no, now }) : undefined
  const refused =
    requests &&
    !condition &&
    refusedRequest(requests, now, (id) => findRequestHead(connection, tenant, { id, thread: head.no }))
  if (typeof refused === 'string') return { ok: false, conflict: { kind: 'request', id: refused }, now }
  const { grants } = append
  const judgedGrants =
    grants && judgeGrants(grants, { now, thread: head.no, find: (id) => findGrantHead(connection, tenant, id) })
  if (judgedGrants && 'refused' in judgedGrants)
    return { ok: false, conflict: { kind: 'grant', id: judgedGrants.refused }, now }
  const records = append.records && judge({ connection, tenant, now }, append.records)
  if (records && 'refused' in records) return { ok: false, conflict: { kind: 'record', id: records.refused }, now }

  const links = linkEntries(append.entries, {
    header: { tenant, threadId: append.threadId, seq: head.version + 1, at: now },
    previous: head.hash,
    salts: context.salts,
  })
  const version = head.version + append.entries.length
  const hash = links.at(-1)?.hash ?? head.hash
  const mac = links.length > 0 || append.sign ? signNew(auditKeys, thread, { version, hash }) : head.mac
  const end = links.length > 0 ? toHex(hash) : head.head
  const wake = changeWake(head.wake, append, now)
  const next = { ...head, version, at: now, hash, head: end, mac, lease: judged.lease, wake }
  const written = writeHead(connection, { tenant, threadId: append.threadId }, next, condition)
  if (!written) return undefined
  const place = { thread: written.no, after: head.version, at: now }
  if (append.erase)
    eraseThread(connection, { threadId: append.threadId, tenant, head: written, before: head.version }, append.erase)
  writeEntries(connection, place, append.entries, links)
  if (append.snapshot) {
    const snapshot = { ...append.snapshot, version: head.version, hash: head.hash }
    writeSnapshot(connection, written.no, { ...snapshot, mac: signSnapshot(auditKeys, thread, snapshot) })
  }
  if (requests) writeRequests(connection, { ...place, tenant }, requests)
  if (grants && judgedGrants)
    writeGrants(connection, { ...place, tenant, threadId: append.threadId }, grants, judgedGrants.heads)
  if (records) applyRecords(context, records.records)
  writeWake(connection, written, { tenant, threadId: append.threadId, append, before: head.wake })
  return { ok: true, version, head: end, at: now, lease: liveLease(judged.lease, now) }
}

/** Renews a lease. Call it inside a write transaction. */
export function applyRenewal(
  { connection, tenant, time }: Pick<AppendContext, 'connection' | 'tenant' | 'time'>,
  threadId: string,
  renewal: LeaseClaim & { ttlMs: number },
): boolean {
  const head = readHead(connection, tenant, threadId)
  const now = steadyTime(time, head.at)
  const lease = head.erased ? undefined : renewLease(head.lease, renewal, now)
  if (!lease) return false
  writeHead(connection, { tenant, threadId }, { ...head, at: now, lease })
  return true
}
