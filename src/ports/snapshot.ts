/**
 * Snapshots: folded states beside the journals, so that a long thread need not be read from its beginning. They are a cache. A store may drop them at
 * any time, or keep none; nothing but speed depends on them.
 *
 * C1  A read returns a snapshot only if the entry at its version is the one that was there when it was written: it belongs to this history, not only
 *     to this length.
 * C2  A snapshot is written with its append or not at all. There is one for each thread and fold; those of other folds stay.
 * C3  With an `auditKey`, a snapshot that was not signed with it is not returned.
 * C4  An erased thread has none.
 * C5  Chunks are what snapshots leave out, in pieces that stay: they are numbered from 1 on for each thread and fold, and written with a snapshot. One
 *     that is written again takes the place of the one before. A read that asks for chunks returns all that there are, in order. The snapshot says
 *     which of them count and what their hash is, so they have no signature of their own.
 * C6  A read that asks for a few chunks returns all that there are if they are few and short, and else none. So it costs the same however long the
 *     thread is.
 */

/** Which chunks a read returns with a snapshot: all, all if they are few and short (C6), or none. */
export type ChunksWanted = boolean | 'few'

/** So many chunks are few. */
export const FEW_CHUNKS = 8

/** A chunk of so many bytes is short. */
export const SHORT_CHUNK = 4096

/** The state of a thread before an append. The store does not read its body. */
export interface SnapshotWrite {
  /** The version of the code that folded it. Other versions do not read it. */
  fold: number
  body: string
  /** Chunks that are new with it, with consecutive numbers. */
  chunks?: { first: number; bodies: readonly string[] }
}

/** A stored snapshot, and the version of the thread that it is the state of. */
export interface StoredSnapshot {
  version: number
  body: string
  /** Chunk 1, 2, 3 …, if they were asked for. There may be more than it names. */
  chunks?: string[]
}
