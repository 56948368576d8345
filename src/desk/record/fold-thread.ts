import { apply } from '../../core/fold/fold.ts'
import { FOLD, restoreSnapshot } from '../../core/fold/snapshot.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { JournalInvalid } from '../../protocol/errors/errors.ts'

/** Reads threads. With `snapshot` it may return the snapshot of that fold and the entries after it. */
export interface ThreadSource {
  readonly tenantId: string
  read(
    threadId: string,
    options?: { snapshot?: number },
  ): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head' | 'now' | 'snapshot'>>
}

type ReadSlice = Awaited<ReturnType<ThreadSource['read']>>

/**
 * Reads a thread from its snapshot on, if there is one that is enough; else all of it. With what the snapshot has, if it does not begin with the first
 * entry.
 */
export async function readSince(
  store: ThreadSource,
  threadId: string,
  isEnough: (state: ThreadState) => boolean = () => true,
): Promise<ReadSlice & { start?: ThreadState }> {
  const slice = await store.read(threadId, { snapshot: FOLD })
  if (!slice.snapshot) return slice
  const { version, body } = slice.snapshot
  const start = restoreSnapshot(body, { tenant: store.tenantId, threadId, version })?.state
  return start && isEnough(start) ? { ...slice, start } : store.read(threadId)
}

/** A folded thread: its state and head, and the store's time. */
interface FoldedThread {
  readonly state: ThreadState
  readonly head: string
  readonly now: number
}

/**
 * Reads and folds a thread, from its snapshot if there is one: the conversation may not be loaded. A snapshot that the entries after it do not follow
 * from is ignored.
 */
export async function foldThread(store: ThreadSource, threadId: string): Promise<FoldedThread> {
  const { start, ...since } = await readSince(store, threadId)
  const empty = () => emptyState(store.tenantId, threadId)
  try {
    return foldSlice(start ?? empty(), since)
  } catch (error) {
    if (!start || !(error instanceof JournalInvalid)) throw error
    return foldSlice(empty(), await store.read(threadId))
  }
}

function foldSlice(state: ThreadState, { entries, head, now }: ReadSlice): FoldedThread {
  const { threadId } = state
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { state, head, now }
}
