import type { ThreadName, ThreadPage, ThreadQuery } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import { comesAfter, cutThreads } from '../shared/threads.ts'
import type { MemoryTenant } from './data.ts'

/** The threads of all tenants. */
export function findThreads(tenants: Iterable<MemoryTenant>, query: ThreadQuery = {}): ThreadPage {
  const limit = pageLimit(query.limit)
  const { after, before = Number.POSITIVE_INFINITY } = query
  const named: ThreadName[] = []
  for (const { id: tenantId, threads } of tenants) {
    for (const { id: threadId, at, erased } of threads.values()) {
      const name = { tenantId, threadId }
      if (query.before !== undefined && (erased || at >= before)) continue
      if (!after || comesAfter(name, after)) named.push(name)
    }
  }
  named.sort((a, b) => (comesAfter(a, b) ? 1 : -1))
  return cutThreads(named, limit)
}
