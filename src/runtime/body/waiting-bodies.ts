import { findCall } from '../../core/queries.ts'
import type { ThreadState, WaitAnswer } from '../../core/state.ts'
import { HitlAborted, type HitlControlException } from '../../protocol/errors/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'

interface Waiter {
  readonly call: CallKey
  readonly ordinal: number
  resolve(answer: WaitAnswer): void
  reject(reason: HitlControlException): void
}

/** The bodies of this process that wait until the journal has an answer. */
export class WaitingBodies {
  readonly #waiting = new Set<Waiter>()

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Waits until the journal has an answer to question number `ordinal` of a call. */
  wait(call: CallKey, ordinal: number): Promise<WaitAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ call, ordinal, resolve, reject })
    })
  }

  /** Wakes the bodies whose answers are in. */
  settle(state: ThreadState): void {
    for (const waiter of this.#waiting) {
      const call = findCall(state, waiter.call)
      const answer = call?.waits[waiter.ordinal]?.answer
      if (call && !answer) continue
      this.#waiting.delete(waiter)
      if (answer) waiter.resolve(answer)
      else waiter.reject(new HitlAborted('the call was settled elsewhere'))
    }
  }

  /** Ends all waits without an answer. */
  rejectAll(reason: HitlControlException): void {
    for (const waiter of this.#waiting) waiter.reject(reason)
    this.#waiting.clear()
  }
}
