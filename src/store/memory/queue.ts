import type { RequestQueue } from '../../ports/store-lists.ts'
import { MOST_QUEUED } from '../shared/queue.ts'
import { textAfter } from '../shared/text-order.ts'
import type { MemoryRequest, MemoryTenant } from './data.ts'
import { entryAt } from './read.ts'

/** The open requests of all tenants, and when the oldest was opened. */
export function findQueue(tenants: Iterable<MemoryTenant>, now: number): RequestQueue {
  let open = 0
  let oldest: Waiting | undefined
  for (const { id: tenantId, ordered } of tenants) {
    const waiting = ordered.filter(({ status }) => status === 'open')
    const [request] = waiting
    if (request && (!oldest || comesBefore({ request, tenantId }, oldest))) oldest = { request, tenantId }
    open += waiting.length
  }
  return {
    open: Math.min(open, MOST_QUEUED),
    more: open > MOST_QUEUED,
    oldestAt: oldest ? entryAt(oldest.request.thread, oldest.request.opened).at : null,
    now,
  }
}

interface Waiting {
  request: MemoryRequest
  tenantId: string
}

/** By id, then by tenant. */
function comesBefore(one: Waiting, other: Waiting): boolean {
  const [id, otherId] = [one.request.row.id, other.request.row.id]
  return id === otherId ? textAfter(other.tenantId, one.tenantId) : textAfter(otherId, id)
}
