import { apply } from '../../core/fold/fold.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import { parseBody } from '../../protocol/entries/versions.ts'

/** Reads whole threads. */
export interface ThreadSource {
  readonly tenantId: string
  read(threadId: string): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head' | 'now'>>
}

/** Reads and folds a thread. Resolves to its state and head, and to the store's time. */
export async function foldThread(
  store: ThreadSource,
  threadId: string,
): Promise<{ state: ThreadState; head: string; now: number }> {
  const { entries, head, now } = await store.read(threadId)
  const state = emptyState(store.tenantId, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { state, head, now }
}
