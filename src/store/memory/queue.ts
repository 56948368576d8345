import type { RequestQueue } from '../../ports/store-lists.ts'
import { MOST_QUEUED } from '../shared/queue.ts'
import { textAfter } from '../shared/text-order.ts'
import type { MemoryRequest, MemoryTenant } from './data.ts'
import { entryAt } from './read.ts'

/** The open requests of all tenants, and when the oldest was opened. */
export function findQueue(tenants: Iterable<MemoryTenant>, now: number): RequestQueue {
  let open = 0
  let oldest: MemoryRequest | undefined
  for (const { ordered } of tenants) {
    const waiting = ordered.filter(({ status }) => status === 'open')
    const [first] = waiting
    if (first && (!oldest || textAfter(oldest.row.id, first.row.id))) oldest = first
    open += waiting.length
  }
  return {
    open: Math.min(open, MOST_QUEUED),
    more: open > MOST_QUEUED,
    oldestAt: oldest ? entryAt(oldest.thread, oldest.opened).at : null,
    now,
  }
}
