import { apply } from '../core/fold.ts'
import { emptyState, type ThreadState } from '../core/state.ts'
import type { ThreadSlice } from '../ports/store.ts'
import { parseBody } from '../protocol/entries/versions.ts'

/** Where a whole thread is read from. */
export interface ThreadSource {
  readonly tenantId: string
  read(threadId: string): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head'>>
}

/** The state of a thread as it is stored now, and its head. */
export async function foldThread(store: ThreadSource, threadId: string): Promise<{ state: ThreadState; head: string }> {
  const { entries, head } = await store.read(threadId)
  const state = emptyState(store.tenantId, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { state, head }
}
