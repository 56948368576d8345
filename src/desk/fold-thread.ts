import { apply } from '../core/fold.ts'
import { emptyState, type ThreadState } from '../core/state.ts'
import type { Store } from '../ports/store.ts'
import { parseBody } from '../protocol/entries/versions.ts'

/** The state of a thread as it is stored now, and its head. */
export async function foldThread(
  store: Pick<Store, 'read' | 'tenantId'>,
  threadId: string,
): Promise<{ state: ThreadState; head: string }> {
  const { entries, head } = await store.read(threadId)
  const state = emptyState(store.tenantId, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { state, head }
}
