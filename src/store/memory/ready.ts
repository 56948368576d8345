import type { Append } from '../../ports/store.ts'
import type { ReadyPage, ReadyQuery, ReadyThread } from '../../ports/store-lists.ts'
import { liveLease } from '../shared/lease.ts'
import { pageLimit } from '../shared/page.ts'
import { changeWake, readyAfter } from '../shared/wake.ts'
import type { MemoryTenant, MemoryThread } from './data.ts'

/** Changes the wake mark of a thread as an accepted append says. */
export function applyWake(
  tenant: MemoryTenant,
  { thread, now }: { thread: MemoryThread; now: number },
  append: Append,
): void {
  if (!append.wake && !append.run) return
  thread.wake = changeWake(thread.wake, append, now)
  if (thread.wake.at === null) tenant.marked.delete(thread)
  else tenant.marked.add(thread)
  if (append.wake?.op !== 'by' || !append.wake.tell) return
  const place = { tenantId: tenant.id, threadId: thread.id, id: thread.id }
  tenant.outbox.rows.push({ ...place, subject: 'thread', what: 'ready', version: 0, at: now })
}

/** The threads of all tenants that must be driven. */
export function findReady(tenants: Iterable<MemoryTenant>, query: ReadyQuery | undefined, now: number): ReadyPage {
  const limit = pageLimit(query?.limit)
  const ready: ReadyThread[] = []
  let nextAt: number | null = null
  for (const { id: tenantId, marked } of tenants) {
    for (const { id: threadId, wake, lease } of marked) {
      if (wake.at === null) continue
      if (wake.at > now) nextAt = Math.min(nextAt ?? wake.at, wake.at)
      const found = { tenantId, threadId, ...wake, at: wake.at }
      const isReady = wake.at <= now && liveLease(lease, now) === null
      if (isReady && (!query?.after || readyAfter(found, query.after))) ready.push(found)
    }
  }
  ready.sort((a, b) => (readyAfter(a, b) ? 1 : -1))
  return { threads: ready.slice(0, limit), nextAt, now }
}
