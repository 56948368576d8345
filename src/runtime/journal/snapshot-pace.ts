import { FOLD, takeSnapshot } from '../../core/fold/snapshot.ts'
import type { ThreadState } from '../../core/state.ts'
import type { SnapshotWrite } from '../../ports/snapshot.ts'

/** A snapshot is due each time that a thread has this many entries more. A prime: turns of the same length do not always pass it at the same point. */
const EVERY = 17
/** How many entries it waits for a state between two turns, which is several times as short. */
const PATIENCE = 4 * EVERY

/**
 * Says when an append takes a snapshot along: between two turns, if the turn has passed a multiple of `EVERY`. Every process that folds the entries
 * sees the same, so whoever writes next knows whether one was due before. A snapshot that is longer than the entries since the one before waits for
 * more of them. So a load reads one snapshot and a few dozen entries at most, whatever the length of the thread.
 */
export class SnapshotPace {
  /** The last version between two turns. */
  #between = 0
  #isDue = false
  /** The version of the last snapshot that was read or written here, or that was due. */
  #last = 0
  /** How long the entries are that were folded here since the last snapshot that was read or written. */
  #since = 0
  /** How long they have to be. */
  #least = 0

  /** An entry was folded into the state. */
  folded(body: string, state: ThreadState): void {
    this.#since += body.length
    if (!isBetweenTurns(state)) {
      this.#isDue = false
      return
    }
    const { version } = state
    if (Math.floor(version / EVERY) > Math.floor(this.#between / EVERY)) {
      this.#isDue = true
      this.#last = version
    }
    this.#between = version
  }

  /** A snapshot of this version was read or written. */
  at(version: number): void {
    this.#isDue = false
    this.#between = version
    this.#last = version
    this.#since = 0
    this.#least = 0
  }

  /** The snapshot to write with the next append, if one is due. */
  due(state: ThreadState): SnapshotWrite | undefined {
    const isDue = this.#isDue || state.version - this.#last >= PATIENCE
    if (!isDue || this.#since < this.#least) return undefined
    const body = takeSnapshot(state)
    this.#least = body.length
    return body.length > this.#since ? undefined : { fold: FOLD, body }
  }
}

/** Whether no call of the root is open, and none is about to be. */
function isBetweenTurns({ run, messages }: ThreadState): boolean {
  if ((run?.frames.get(run.id)?.calls.length ?? 0) > 0) return false
  const last = messages.at(-1)
  return last?.role !== 'assistant' || (last.toolCalls?.length ?? 0) === 0
}
