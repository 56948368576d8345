import { FOLD, takeSnapshot } from '../../core/fold/snapshot.ts'
import { callsOf } from '../../core/queries.ts'
import type { ThreadState } from '../../core/state.ts'
import type { SnapshotWrite } from '../../ports/snapshot.ts'

/** A snapshot is due each time that a thread has this many entries more. */
const EVERY = 16
/** How many entries it waits for a state without open calls, which is several times as short. */
const PATIENCE = 4 * EVERY

/**
 * Says when an append takes a snapshot along: the first one after every sixteenth entry that finds no open calls, whichever process makes it. A snapshot
 * that is longer than the entries since the one before waits for more of them. So snapshots write less than the journal does, and a load reads one
 * snapshot and a few dozen entries at most, whatever the length of the thread.
 */
export class SnapshotPace {
  /** The version of the last snapshot that is known, or assumed. */
  #last = 0
  /** How long the entries since are that were folded here. */
  #since = 0
  /** How long they have to be. */
  #least = 0

  /** An entry was folded. */
  folded(body: string): void {
    this.#since += body.length
  }

  /** A snapshot of this version was read or written. */
  at(version: number): void {
    this.#last = version
    this.#since = 0
    this.#least = 0
  }

  /** All entries up to this version were read: whoever wrote them wrote the snapshots that were due. */
  assume(version: number): void {
    this.#last = version
  }

  /** The snapshot to write with the next append, if one is due. */
  due(state: ThreadState): SnapshotWrite | undefined {
    const { version } = state
    const isDue = Math.floor(version / EVERY) > Math.floor(this.#last / EVERY)
    const isGood = callsOf(state).length === 0 || version - this.#last >= PATIENCE
    if (!isDue || !isGood || this.#since < this.#least) return undefined
    const body = takeSnapshot(state)
    this.#least = body.length
    return body.length > this.#since ? undefined : { fold: FOLD, body }
  }
}
