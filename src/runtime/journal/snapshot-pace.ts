import { FOLD, takeSnapshot } from '../../core/fold/snapshot.ts'
import type { ThreadState } from '../../core/state.ts'
import type { SnapshotWrite } from '../../ports/snapshot.ts'

/** Threads with fewer characters of entries have no snapshot: reading them is as fast. */
const FIRST = 4096

/**
 * Says when an append takes a snapshot along: when the entries since the last one are as long as it was. So snapshots never write more than the journal
 * does, and a load reads at most about twice a snapshot, whatever the length of the thread.
 */
export class SnapshotPace {
  #size = FIRST
  #since = 0

  /** An entry was folded. */
  folded(body: string): void {
    this.#since += body.length
  }

  /** A snapshot was read, or written with the state as it is now. */
  at({ length }: string): void {
    this.#size = length
    this.#since = 0
  }

  /** The snapshot to write with the next append, if it is time. */
  due(state: ThreadState): SnapshotWrite | undefined {
    return this.#since >= this.#size ? { fold: FOLD, body: takeSnapshot(state) } : undefined
  }
}
