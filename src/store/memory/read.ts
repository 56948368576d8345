import { randomBytes } from 'node:crypto'
import type { ChunksWanted } from '../../ports/snapshot.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { ChainedEntry, StoredEntry, ThreadHead } from '../../ports/stored-entry.ts'
import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { signNew } from '../shared/audit.ts'
import { liveLease } from '../shared/lease.ts'
import { type ChainRange, chainRange, versionBefore } from '../shared/page.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import { NO_WAKE } from '../shared/wake.ts'
import { headAt, type MemoryTenant, type MemoryThread } from './data.ts'
import { findSnapshot } from './snapshots.ts'

/** A thread's entries after a version. */
export function readThread(
  tenant: MemoryTenant,
  threadId: string,
  options: { after: number; snapshot: number | undefined; chunks: ChunksWanted; time: number },
): ThreadSlice {
  const thread = tenant.threads.get(threadId)
  if (!thread) {
    const head = headAt(thread, 0)
    return { version: 0, head, follows: head, entries: [], lease: null, wake: { ...NO_WAKE }, now: options.time }
  }
  if (thread.erased) throw new ThreadErased(threadId)
  const now = steadyTime(options.time, thread.at)
  const version = thread.bodies.length
  const snapshot = findSnapshot(thread, { fold: options.snapshot, chunks: options.chunks })
  const start = snapshot ? snapshot.version : versionBefore(options.after)
  const entries: StoredEntry[] = []
  for (let seq = start + 1; seq <= version; seq++) entries.push(entryAt(thread, seq))
  const heads = { head: thread.head, follows: headAt(thread, Math.min(start, version)) }
  const held = { lease: liveLease(thread.lease, now), wake: { ...thread.wake } }
  return { version, ...heads, entries, ...(snapshot ? { snapshot } : {}), ...held, now }
}

/** One entry, as a copy. */
export function entryAt(thread: MemoryThread, seq: number): StoredEntry {
  return { seq, at: thread.times[seq - 1]!, body: thread.bodies[seq - 1]! }
}

/** The end of a thread. It is signed on demand, since no other process can reach it. */
export function readHead(tenant: MemoryTenant, threadId: string, auditKeys: readonly AuditKey[]): ThreadHead {
  const last = readChain(tenant, threadId).at(-1)
  const end = { version: last?.seq ?? 0, hash: last?.hash ?? new Uint8Array(CHAIN_START) }
  const mac = signNew(auditKeys, { store: 'memory', tenant: tenant.id, threadId }, end)
  return { ...end, mac, ...(tenant.threads.get(threadId)?.erased ? { erased: true } : {}) }
}

/**
 * A thread's entries with their links. Links are computed on the first read and kept, so that writes do not pay for them.
 */
export function readChain(tenant: MemoryTenant, threadId: string, range?: ChainRange): ChainedEntry[] {
  const thread = tenant.threads.get(threadId)
  if (!thread) return []
  for (let seq = thread.links.length + 1; seq <= thread.bodies.length; seq++) {
    const { at, body } = entryAt(thread, seq)
    const salt = new Uint8Array(randomBytes(16))
    const previous = thread.links.at(-1)?.hash ?? CHAIN_START
    const hash = chainHash({ tenant: tenant.id, threadId, seq, at }, previous, bodyHash(salt, body))
    thread.links.push({ salt, hash })
  }
  const { after, limit } = chainRange(range)
  return thread.links.slice(after, limit === null ? undefined : after + limit).map((link, index) => ({
    ...entryAt(thread, after + index + 1),
    salt: new Uint8Array(link.salt),
    hash: new Uint8Array(link.hash),
  }))
}
