import { type Store, ThreadNotFound } from '../index.ts'
import { parseThreadId } from '../protocol/ids.ts'
import { loadDriver } from '../store/sqlite/load-driver.ts'
import type { Call } from './command.ts'
import { storePlace } from './open-store.ts'

/** A thread of a store. */
export interface ThreadName {
  readonly tenant: string
  readonly threadId: string
}

/**
 * Every thread of a store's file, of every tenant. Read from the file itself: an auditor must not depend on the index of requests, since who
 * takes an entry out can take a thread out of that index with it.
 */
function listThreads(path: string): ThreadName[] {
  const db = loadDriver().open(path, 'write')
  try {
    const rows = db.prepare('SELECT tenant, id FROM threads ORDER BY tenant, id').all([])
    return rows.map((row) => ({ tenant: String(row.tenant), threadId: String(row.id) }))
  } finally {
    db.close()
  }
}

/** The thread that `--thread` names, which must exist, or all of them. */
export async function threadsOf(call: Call, store: Store): Promise<ThreadName[]> {
  const one = call.text('thread')
  const threadId = one === undefined ? undefined : parseThreadId(one)
  // The store looks at the file first: one that is damaged or not ours is refused there, in words.
  const { version } = await store.read(threadId ?? '', { after: Number.MAX_SAFE_INTEGER })
  if (threadId === undefined) return listThreads(storePlace(call).path)
  if (version === 0) throw new ThreadNotFound(threadId)
  return [{ tenant: store.tenantId, threadId }]
}
