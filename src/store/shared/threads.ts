import type { ThreadName, ThreadPage } from '../../ports/store-lists.ts'
import { textAfter } from './text-order.ts'

/** Whether a thread comes after another in the order of {@link ThreadPage}. */
export function comesAfter(a: ThreadName, b: ThreadName): boolean {
  return a.tenantId === b.tenantId ? textAfter(a.threadId, b.threadId) : textAfter(a.tenantId, b.tenantId)
}

/** The page of threads in order. One more than the limit is needed. */
export function cutThreads(named: readonly ThreadName[], limit: number): ThreadPage {
  const threads = named.slice(0, limit)
  const next = named.length > limit ? threads.at(-1) : undefined
  return next === undefined ? { threads } : { threads, next }
}
