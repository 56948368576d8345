import type { DuePage, DueQuery, DueRequest } from '../../ports/store-lists.ts'
import { cutDue, isAfter } from '../shared/due.ts'
import { pageLimit } from '../shared/page.ts'
import type { MemoryTenant } from './data.ts'

/** The due requests of all tenants. */
export function findDue(tenants: Iterable<MemoryTenant>, query: DueQuery | undefined, now: number): DuePage {
  const limit = pageLimit(query?.limit)
  const dated: DueRequest[] = []
  for (const { id: tenantId, ordered } of tenants) {
    for (const { row, status } of ordered) {
      if (status !== 'open' || row.expiresAt === null) continue
      const request = { tenantId, id: row.id, expiresAt: row.expiresAt }
      if (!query?.after || isAfter(request, query.after)) dated.push(request)
    }
  }
  dated.sort((a, b) => (isAfter(a, b) ? 1 : -1))
  return cutDue(dated, limit, now)
}
