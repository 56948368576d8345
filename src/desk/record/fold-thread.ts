import { apply } from '../../core/fold/fold.ts'
import { FOLD, restoreSnapshot } from '../../core/fold/snapshot.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import { parseBody } from '../../protocol/entries/versions.ts'

/** Reads threads. With `snapshot` it may return the snapshot of that fold and the entries after it. */
export interface ThreadSource {
  readonly tenantId: string
  read(
    threadId: string,
    options?: { snapshot?: number },
  ): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head' | 'now' | 'snapshot'>>
}

/**
 * Reads and folds a thread, from its snapshot if there is one: the conversation may not be loaded. Resolves to its state and head, and to the store's
 * time.
 */
export async function foldThread(
  store: ThreadSource,
  threadId: string,
): Promise<{ state: ThreadState; head: string; now: number }> {
  const { tenantId: tenant } = store
  const slice = await store.read(threadId, { snapshot: FOLD })
  const start = slice.snapshot
    ? restoreSnapshot(slice.snapshot.body, { tenant, threadId, version: slice.snapshot.version })
    : emptyState(tenant, threadId)
  const { entries, head, now } = start ? slice : await store.read(threadId)
  const state = start ?? emptyState(tenant, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { state, head, now }
}
