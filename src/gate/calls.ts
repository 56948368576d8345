import { callsOf } from '../core/queries.ts'
import { type CallIndex, isWithHost, type Slot } from './call-index.ts'
import { callState, NEVER_JUDGED } from './call-state.ts'
import type { CallThread } from './call-thread.ts'
import type { GateSettings } from './settings.ts'
import type { ForeignCall, GateState } from './types.ts'

/** A call that was found in the index. */
export type FoundCall = Slot & { readonly thread: CallThread }

/** Finds calls that were judged. Of equal calls without ids, each that this process executes is taken by one caller. */
export class Calls {
  readonly settings: GateSettings
  readonly index: CallIndex
  readonly #taken = new Set<string>()

  constructor(settings: GateSettings, index: CallIndex) {
    this.settings = settings
    this.index = index
  }

  /** The state of a call. Writes nothing. */
  async read(call: ForeignCall): Promise<GateState> {
    const found = await this.find(call)
    return found ? callState(found.thread) : NEVER_JUDGED
  }

  /**
   * The call that a host means. Of equal ones: the first that is under way, preferably one that fits, and that nobody here has taken; else the one that ended
   * last.
   */
  async find(call: ForeignCall, fits?: (thread: CallThread) => boolean): Promise<FoundCall | undefined> {
    return this.#choose(await this.index.slotsOf(call), fits)
  }

  /** Finds a call and takes it while `work` goes on. */
  async take<T>(
    call: ForeignCall,
    fits: (thread: CallThread) => boolean,
    work: (found: FoundCall | undefined) => Promise<T>,
  ): Promise<T> {
    // A call with an id is the only one of its kind.
    if (call.callId !== undefined) return work(await this.find(call))
    for (;;) {
      const slots = await this.index.slotsOf(call)
      // Nothing is awaited between choosing and taking.
      const found = this.#choose(slots, fits)
      if (!found || this.#taken.has(found.id) || this.index.isOver(found.thread)) return work(found)
      this.#taken.add(found.id)
      try {
        await found.thread.journal.catchUp()
        if (!this.index.isOver(found.thread)) return await work(found)
      } finally {
        this.#taken.delete(found.id)
      }
      // An equal call ended while this one was being found. There may be another.
    }
  }

  #choose(slots: readonly Slot[], fits = isHere): FoundCall | undefined {
    const found = slots.filter((slot): slot is FoundCall => slot.thread !== undefined)
    const underWay = found.filter(({ id, thread }) => !this.#taken.has(id) && !this.index.isOver(thread))
    return (
      [fits, isHere, () => true].map((each) => underWay.find(({ thread }) => each(thread))).find(Boolean) ??
      found.toSorted(byEnd)[0]
    )
  }
}

/** Whether a call is not in the hands of its host. */
function isHere(thread: CallThread): boolean {
  return !isWithHost(thread)
}

/** Whether a call may be started. */
export function isReleased({ journal }: CallThread): boolean {
  return callsOf(journal.state)[0]?.phase.at === 'released'
}

function byEnd(a: FoundCall, b: FoundCall): number {
  return (b.thread.journal.bodies.at(-1)?.at ?? 0) - (a.thread.journal.bodies.at(-1)?.at ?? 0)
}
