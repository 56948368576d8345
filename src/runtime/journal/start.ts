import { type ChunkMark, joinChunks } from '../../core/fold/chunks.ts'
import { apply } from '../../core/fold/fold.ts'
import { mayDriveFrom } from '../../core/fold/may-drive-from.ts'
import { FOLD, restoreSnapshot } from '../../core/fold/snapshot.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import type { Store, ThreadSlice } from '../../ports/store.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import type { Message } from '../../protocol/message.ts'

/** A snapshot that a journal begins with, instead of the first entry. */
export interface SnapshotStart {
  readonly state: ThreadState
  readonly version: number
  /** The chunks that its conversation is in. */
  readonly chunks: ChunkMark
  /** Their bodies, if they were read and not used yet. */
  bodies: readonly string[] | undefined
  /** See {@link mayDriveFrom}. Kept, since later entries change the state. */
  readonly mayDrive: boolean
}

type ThreadName = Pick<ThreadState, 'tenant' | 'threadId'>

/** The snapshot of a slice. `undefined`: there is none that can be used. */
export function startOf(
  { tenant, threadId }: ThreadName,
  { snapshot }: Pick<ThreadSlice, 'snapshot'>,
): SnapshotStart | undefined {
  if (!snapshot) return undefined
  const { version, body, chunks: bodies } = snapshot
  const restored = restoreSnapshot(body, { tenant, threadId, version })
  return restored && { ...restored, version, bodies, mayDrive: mayDriveFrom(restored.state) }
}

/**
 * The conversation up to a snapshot, from its chunks. `undefined`: they are not those that it names, or the thread must not be driven from it. A
 * snapshot that others have written since has the same chunks, and more.
 */
export async function conversationOf(start: SnapshotStart, store: Store): Promise<Message[] | undefined> {
  if (!start.mayDrive) return undefined
  const { threadId } = start.state
  const bodies = start.bodies ?? (await store.read(threadId, { snapshot: FOLD, chunks: true })).snapshot?.chunks ?? []
  // Each text is kept once.
  start.bodies = undefined
  return joinChunks(bodies, start.chunks)
}

/** The chunks in the store, as its snapshot names them. `undefined`: there are none that this state could go on with. */
export async function storedChunks(store: Store, state: ThreadState): Promise<ChunkMark | undefined> {
  const start = startOf(state, await store.read(state.threadId, { snapshot: FOLD }))
  return start && start.version <= state.version ? start.chunks : undefined
}

/** Folds entries from the first on. */
export function foldAll(
  { tenant, threadId }: ThreadName,
  { entries, now }: Pick<ThreadSlice, 'entries' | 'now'>,
): ThreadState {
  const state = emptyState(tenant, threadId)
  for (const { body, at, seq } of entries) apply(state, parseBody(body, { threadId, seq }), Math.min(at, now))
  return state
}
