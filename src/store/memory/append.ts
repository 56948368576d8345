import type { Append, AppendOutcome, RequestChange } from '../../ports/store.ts'
import { CHAIN_START } from '../../protocol/chain/chain.ts'
import { judgeGrants } from '../shared/grants.ts'
import { judgeThread, OPENED_VERSION, type RequestHead, refusedRequest } from '../shared/guards.ts'
import { liveLease, NO_LEASE } from '../shared/lease.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import { addRequest, addThread, headAt, type MemoryTenant, type MemoryThread } from './data.ts'
import { applyGrants } from './grants.ts'
import { readChain } from './read.ts'

const NEW_THREAD = { version: 0, head: headAt(undefined, 0), at: Number.NEGATIVE_INFINITY, lease: NO_LEASE }

/** Judges an append and, unless it is refused, applies it. Nothing is changed before every guard has passed. */
export function applyAppend(tenant: MemoryTenant, append: Append, time: number): AppendOutcome {
  const known = tenant.threads.get(append.threadId)
  const head = known ? { version: known.bodies.length, head: known.head, at: known.at, lease: known.lease } : NEW_THREAD
  const now = steadyTime(time, head.at)
  if (append.sign && !isEnd(tenant, append.threadId, append.sign))
    return { ok: false, conflict: { kind: 'version', version: head.version }, now }
  const judged = judgeThread(head, append, now)
  if (!judged.ok) return { ok: false, conflict: judged.conflict, now }
  const refused = append.requests && refusedRequest(append.requests, now, (id) => requestHead(tenant, known, id))
  if (refused !== undefined) return { ok: false, conflict: { kind: 'request', id: refused }, now }
  const judgedGrants =
    append.grants && judgeGrants(append.grants, { now, thread: known, find: (id) => tenant.grants.get(id)?.head })
  if (judgedGrants && 'refused' in judgedGrants)
    return { ok: false, conflict: { kind: 'grant', id: judgedGrants.refused }, now }

  const thread = known ?? addThread(tenant, append.threadId)
  const before = head.version
  for (const body of append.entries) {
    thread.times.push(now)
    thread.bodies.push(body)
  }
  if (append.entries.length > 0) thread.head = headAt(thread, thread.bodies.length)
  thread.at = now
  thread.lease = judged.lease
  for (const change of append.requests ?? []) applyRequest(tenant, { thread, before }, change)
  if (append.grants && judgedGrants) applyGrants(tenant, { thread, before }, append.grants, judgedGrants.heads)
  const version = thread.bodies.length
  return { ok: true, version, head: thread.head, at: now, lease: liveLease(thread.lease, now) }
}

function isEnd(tenant: MemoryTenant, threadId: string, hash: Uint8Array): boolean {
  return Buffer.compare(readChain(tenant, threadId).at(-1)?.hash ?? CHAIN_START, hash) === 0
}

function requestHead(tenant: MemoryTenant, thread: MemoryThread | undefined, id: string): RequestHead | undefined {
  const request = tenant.requests.get(id)
  return request && { version: request.version, here: request.thread === thread }
}

function applyRequest(
  tenant: MemoryTenant,
  { thread, before }: { thread: MemoryThread; before: number },
  change: RequestChange,
): void {
  const seq = before + 1 + change.entry
  switch (change.op) {
    case 'open': {
      const row = { ...change.row }
      addRequest(tenant, { row, thread, status: 'open', version: OPENED_VERSION, opened: seq, changed: null })
      break
    }
    case 'change': {
      const request = tenant.requests.get(change.id)!
      request.version = change.from + 1
      request.status = change.status
      request.changed = seq
      if (change.dropDeadline) request.row.expiresAt = null
      break
    }
  }
}
