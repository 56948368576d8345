import { listsOf, maySee, readersOf } from '../../../core/access.ts'
import { toFacts } from '../../../desk/find.ts'
import type { StoredRequest } from '../../../ports/store-lists.ts'
import type { ApiCall } from '../api-route.ts'
import { holdsRoot, type KnownOpening } from '../views/sight.ts'
import { isOf, parseThread } from '../views/thread-entries.ts'

type Reader = Pick<ApiCall, 'store' | 'caller'>

/**
 * The requests of a thread by which the sight of a caller is limited. None if the caller may see all of them. Read them before the entries: a request
 * that is opened meanwhile is among the entries, and an erased thread cannot be read any more.
 */
export async function limitingRequests({ store, caller }: Reader, threadId: string): Promise<KnownOpening[]> {
  const readers = readersOf(caller)
  if (!readers) return []
  const [all, seen] = await Promise.all([store.countRequests({ threadId }), store.countRequests({ threadId, readers })])
  if (!all.more && all.count === seen.count) return []
  const found: KnownOpening[] = []
  let cursor: string | undefined
  do {
    const page = await store.findRequests({ threadId, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    for (const stored of page.requests) found.push(await toOpening({ store, caller }, stored))
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

async function toOpening({ store, caller }: Reader, stored: StoredRequest): Promise<KnownOpening> {
  const { opened } = toFacts(stored, store.tenantId)
  if (!holdsRoot(opened) || maySee(caller, listsOf(opened))) return { opened }
  // The answer is written with the request that holds it, or shortly before. If it is not found, nothing that the run wrote is shown.
  const { entries } = await store.readBack(stored.threadId, { before: stored.opened.seq, limit: 50 })
  const answers = parseThread(stored.threadId, entries).filter(isOf('model.answered'))
  const turn = answers.findLast(({ entry }) => entry.frame === opened.run)?.entry.turn
  return turn === undefined ? { opened } : { opened, turn }
}
