import type { Append, AppendOutcome, RequestChange } from '../../ports/store.ts'
import { addRequest, addThread, type MemoryTenant, type MemoryThread } from './data.ts'
import { judge, OPENED_VERSION } from './guards.ts'
import { liveLease } from './lease.ts'

/** Judges an append and, unless it is refused, applies it. Nothing is touched before every guard has agreed. */
export function applyAppend(tenant: MemoryTenant, append: Append, time: number): AppendOutcome {
  const known = tenant.threads.get(append.threadId)
  const now = Math.max(time, known?.at ?? time)
  const judged = judge({ tenant, thread: known, now }, append)
  if (!judged.ok) return { ok: false, conflict: judged.conflict, now }

  const thread = known ?? addThread(tenant, append.threadId)
  const before = thread.bodies.length
  for (const body of append.entries) {
    thread.times.push(now)
    thread.bodies.push(body)
  }
  thread.at = now
  thread.lease = judged.lease
  for (const change of append.requests ?? []) applyRequest(tenant, { thread, before }, change)
  return { ok: true, version: thread.bodies.length, at: now, lease: liveLease(thread.lease, now) }
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
      break
    }
  }
}
