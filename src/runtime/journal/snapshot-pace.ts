import { type ChunkMark, cutChunks, NO_CHUNKS } from '../../core/fold/chunks.ts'
import { isBetweenTurns } from '../../core/fold/may-drive-from.ts'
import { FOLD, takeSnapshot } from '../../core/fold/snapshot.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import type { SnapshotWrite } from '../../ports/snapshot.ts'
import type { Store } from '../../ports/store.ts'
import { storedChunks } from './start.ts'

/** A snapshot is due each time that a thread has this many entries more. A prime: turns of the same length do not always pass it at the same point. */
const EVERY = 17
/** How many entries it waits for a state between two turns, which is several times as short. */
const PATIENCE = 4 * EVERY

/** A snapshot to write with an append, and what is in chunks once that is accepted. */
export interface DueSnapshot {
  readonly write: SnapshotWrite
  readonly chunks: ChunkMark
}

/**
 * Says when an append takes a snapshot along: between two turns, if the turn has passed a multiple of `EVERY`. Every process that folds the entries
 * sees the same, so whoever writes next knows whether one was due before. A snapshot that is longer than the entries since the one before waits for
 * more of them. So a load reads one snapshot and a few dozen entries at most, whatever the length of the thread.
 *
 * A snapshot comes with a chunk of the messages since the one before. Its number follows the chunks that are known here. If others may have written
 * one since, they are looked up first (`#isUnsure`): a chunk that is replaced by another breaks the snapshots that others build on it, which then count
 * for nothing.
 */
export class SnapshotPace {
  /** The chunks in the store. */
  #chunks = NO_CHUNKS
  /** Others may have written chunks that are not known here. */
  #isUnsure = false
  /** The last version between two turns. */
  #between = 0
  #isDue = false
  /** The version of the last snapshot that was read or written here, or that was due. */
  #last = 0
  /** How long the entries are that were folded here since the last snapshot that was read or written. */
  #since = 0
  /** How long they have to be. */
  #least = 0

  /** An entry was folded into the state. `isOwn`: it was written here. */
  folded(body: string, state: ThreadState, isOwn: boolean): void {
    const { version } = state
    if (!isOwn && this.#isDueAt(version - 1)) this.#isUnsure = true
    this.#since += body.length
    if (!isBetweenTurns({ calls: rootCalls(state), messages: state.messages })) {
      this.#isDue = false
      return
    }
    if (Math.floor(version / EVERY) > Math.floor(this.#between / EVERY)) {
      this.#isDue = true
      this.#last = version
    }
    this.#between = version
  }

  /** A snapshot of this version was read or written, with the chunks that it names. */
  at(version: number, chunks: ChunkMark): void {
    this.#isDue = false
    this.#between = version
    this.#last = version
    this.#since = 0
    this.#least = 0
    this.knows(chunks)
  }

  /** These are the chunks in the store. */
  knows(chunks: ChunkMark): void {
    this.#chunks = chunks
    this.#isUnsure = false
  }

  /** The snapshot to write with the next append, if one is due. */
  async due(state: ThreadState, store: Store): Promise<DueSnapshot | undefined> {
    if (!this.#isDueAt(state.version) || this.#since < this.#least) return undefined
    return !this.#isUnsure || (await this.#lookUp(state, store)) ? this.#take(state) : undefined
  }

  /** `false`: it could not be read. A snapshot is a cache: the append does without it. */
  async #lookUp(state: ThreadState, store: Store): Promise<boolean> {
    try {
      this.knows((await storedChunks(store, state)) ?? NO_CHUNKS)
      return true
    } catch {
      return false
    }
  }

  /** `undefined`: it is too long by now, or messages that are in no chunk are not loaded. */
  #take(state: ThreadState): DueSnapshot | undefined {
    const { count, messages } = this.#chunks
    if (state.messages.absent > messages || state.messages.length < messages) return undefined
    const { bodies, mark } = cutChunks(state.messages, this.#chunks)
    const body = takeSnapshot(state, mark)
    this.#least = body.length
    if (body.length > this.#since) return undefined
    const chunks = bodies.length > 0 ? { chunks: { first: count + 1, bodies } } : {}
    return { write: { fold: FOLD, body, ...chunks }, chunks: mark }
  }

  #isDueAt(version: number): boolean {
    return this.#isDue || version - this.#last >= PATIENCE
  }
}

function rootCalls({ run }: ThreadState): Call[] {
  return run?.frames.get(run.id)?.calls ?? []
}
