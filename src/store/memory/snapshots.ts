import {
  type ChunksWanted,
  FEW_CHUNKS,
  SHORT_CHUNK,
  type SnapshotWrite,
  type StoredSnapshot,
} from '../../ports/snapshot.ts'
import type { MemoryThread } from './data.ts'

/** Keeps the snapshot of a thread at a version, in the place of an earlier one of the same fold, whose chunks stay. */
export function keepSnapshot(
  { snapshots }: MemoryThread,
  version: number,
  { fold, body, chunks: added }: SnapshotWrite,
): void {
  const chunks = snapshots.get(fold)?.chunks ?? []
  for (const [index, chunk] of added?.bodies.entries() ?? []) chunks[added!.first - 1 + index] = chunk
  snapshots.set(fold, { version, body, chunks })
}

/** The snapshot of a fold, as a copy. */
export function findSnapshot(
  { snapshots }: MemoryThread,
  { fold, chunks: wanted }: { fold: number | undefined; chunks: ChunksWanted },
): StoredSnapshot | undefined {
  const found = fold === undefined ? undefined : snapshots.get(fold)
  if (!found) return undefined
  const { version, body } = found
  if (wanted === false) return { version, body }
  // A caller may have left numbers out.
  const chunks = found.chunks.filter((chunk) => chunk !== undefined)
  return { version, body, chunks: wanted === true || areFew(chunks) ? chunks : [] }
}

function areFew(chunks: readonly string[]): boolean {
  return chunks.length <= FEW_CHUNKS && chunks.every((chunk) => Buffer.byteLength(chunk) <= SHORT_CHUNK)
}
