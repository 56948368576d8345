import { type ChunkMark, joinChunks } from '../../core/fold/chunks.ts'
import { apply } from '../../core/fold/fold.ts'
import { mayDriveFrom } from '../../core/fold/may-drive-from.ts'
import { FOLD, restoreSnapshot } from '../../core/fold/snapshot.ts'
import { emptyState, type ThreadState } from '../../core/state.ts'
import type { Store, ThreadSlice } from '../../ports/store.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import type { Message } from '../../protocol/message.ts'
import type { StoreClock } from './store-clock.ts'

/** A snapshot that a journal begins with, instead of the first entry. */
export interface SnapshotStart {
  readonly state: ThreadState
  readonly version: number
  /** The chunks that its conversation is in. */
  readonly chunks: ChunkMark
  /** Their bodies, if they were read. Not kept for long: a state that waits for people takes no more memory for them. */
  readonly bodies: WeakRef<readonly string[]> | undefined
  /** See {@link mayDriveFrom}. Kept, since later entries change the state. */
  readonly mayDrive: boolean
}

/** How far a journal has folded, and the store's name of that history. The clock goes along: it has warned, or it has not. */
export interface JournalMark {
  readonly version: number
  readonly head: string
  readonly clock: StoreClock
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
  if (!restored) return undefined
  return { ...restored, version, bodies: bodies && new WeakRef(bodies), mayDrive: mayDriveFrom(restored.state) }
}

/**
 * The conversation up to a snapshot, from its chunks. `undefined`: they are not those that it names, or the thread must not be driven from it. A
 * snapshot that others have written since has the same chunks, and more.
 */
export async function conversationOf(start: SnapshotStart, store: Store): Promise<Message[] | undefined> {
  if (!start.mayDrive) return undefined
  const { threadId } = start.state
  const known = start.bodies?.deref()
  const joined = known && joinChunks(known, start.chunks)
  if (joined) return joined
  const { snapshot } = await store.read(threadId, { snapshot: FOLD, chunks: true })
  return joinChunks(snapshot?.chunks ?? [], start.chunks)
}

/** The chunks in the store, as its snapshot names them. `undefined`: there are none that this state could go on with. */
export async function storedChunks(store: Store, state: ThreadState): Promise<ChunkMark | undefined> {
  const start = startOf(state, await store.read(state.threadId, { snapshot: FOLD }))
  return start && start.version <= state.version ? start.chunks : undefined
}

/** The store's name of the history of a thread up to a version, if it was just read from its first entry. */
export async function headAt(
  store: Store,
  { threadId, version }: Pick<ThreadState, 'threadId' | 'version'>,
  whole: Pick<ThreadSlice, 'version' | 'head'>,
): Promise<string> {
  return whole.version === version ? whole.head : (await store.read(threadId, { after: version })).follows
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
