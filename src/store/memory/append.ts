import type { Append, AppendOutcome, RequestChange } from '../../ports/store.ts'
import { CHAIN_START } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { judgeGrants } from '../shared/grants.ts'
import { assignedBy, judgeThread, OPENED_VERSION, type RequestHead, refusedRequest } from '../shared/guards.ts'
import { liveLease, NO_LEASE } from '../shared/lease.ts'
import { judgeRecords, recordKey } from '../shared/records.ts'
import { steadyTime } from '../shared/steady-clock.ts'
import { addRequest, addThread, headAt, type MemoryRequest, type MemoryTenant, type MemoryThread } from './data.ts'
import { eraseThread } from './erase.ts'
import { applyGrants } from './grants.ts'
import { readChain } from './read.ts'
import { applyWake } from './ready.ts'
import { applyRecords } from './records.ts'
import { keepSnapshot } from './snapshots.ts'

const NEW_THREAD = { version: 0, head: headAt(undefined, 0), at: Number.NEGATIVE_INFINITY, lease: NO_LEASE }

/** Judges an append and, unless it is refused, applies it. Nothing is changed before every guard has passed. */
export function applyAppend(tenant: MemoryTenant, append: Append, time: number): AppendOutcome {
  const known = tenant.threads.get(append.threadId)
  if (known?.erased && !append.sign) throw new ThreadErased(append.threadId)
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
  const judgedRecords =
    append.records && judgeRecords(append.records, { now, find: (kind, id) => tenant.records.get(recordKey(kind, id)) })
  if (judgedRecords && 'refused' in judgedRecords)
    return { ok: false, conflict: { kind: 'record', id: judgedRecords.refused }, now }

  const thread = known ?? addThread(tenant, append.threadId)
  const before = head.version
  if (append.snapshot) keepSnapshot(thread, before, append.snapshot)
  if (append.erase) eraseThread(tenant, { thread, now }, append.erase)
  for (const body of append.entries) {
    thread.times.push(now)
    thread.bodies.push(body)
  }
  if (append.entries.length > 0) thread.head = headAt(thread, thread.bodies.length)
  thread.at = now
  thread.lease = judged.lease
  for (const change of append.requests ?? []) applyRequest(tenant, { thread, before, now }, change)
  if (append.grants && judgedGrants) applyGrants(tenant, { thread, before, now }, append.grants, judgedGrants.heads)
  if (judgedRecords) applyRecords(tenant, judgedRecords.records)
  applyWake(tenant, { thread, now }, append)
  const version = thread.bodies.length
  return { ok: true, version, head: thread.head, at: now, lease: liveLease(thread.lease, now) }
}

function isEnd(tenant: MemoryTenant, threadId: string, hash: Uint8Array): boolean {
  return Buffer.compare(readChain(tenant, threadId).at(-1)?.hash ?? CHAIN_START, hash) === 0
}

function requestHead(tenant: MemoryTenant, thread: MemoryThread | undefined, id: string): RequestHead | undefined {
  const request = tenant.requests.get(id)
  if (!request) return undefined
  const { version, status, assigned } = request
  return { version, here: request.thread === thread, open: status === 'open', assigned }
}

interface Place {
  thread: MemoryThread
  /** The thread's version before the append. */
  before: number
  now: number
}

function applyRequest(tenant: MemoryTenant, { thread, before, now }: Place, change: RequestChange): void {
  const tell = (request: MemoryRequest, what: string) =>
    void tenant.outbox.rows.push({
      tenantId: tenant.id,
      threadId: request.thread.id,
      subject: 'request',
      id: request.row.id,
      what,
      version: request.version,
      at: now,
    })
  switch (change.op) {
    case 'open': {
      const opened = {
        status: 'open',
        version: OPENED_VERSION,
        opened: before + 1 + change.entry,
        changed: null,
      } as const
      const request = { ...opened, row: { ...change.row }, thread, assigned: null, comments: 0 }
      addRequest(tenant, request)
      return tell(request, 'opened')
    }
    case 'change': {
      const request = tenant.requests.get(change.id)!
      const what = whatHappened(request, change)
      request.version = change.from + 1
      request.status = change.status
      request.changed = before + 1 + change.entry
      if (change.dropDeadline) request.row.expiresAt = null
      if (what) tell(request, what)
      return
    }
    case 'assign': {
      const request = tenant.requests.get(change.id)!
      request.assigned = assignedBy(change, now)
      return tell(request, 'assigned')
    }
    case 'comment': {
      const request = tenant.requests.get(change.id)!
      request.comments++
      return tell(request, 'commented')
    }
  }
}

function whatHappened(
  { status, row }: MemoryRequest,
  change: Extract<RequestChange, { op: 'change' }>,
): string | undefined {
  if (change.status !== status) return change.status === 'open' ? 'reopened' : change.status
  return change.dropDeadline && status === 'open' && row.expiresAt !== null ? 'escalated' : undefined
}
