import { findCall, isInsideRejected } from '../../core/queries.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import {
  HitlAborted,
  HitlControlException,
  HoldpointError,
  InputInvalid,
  ThreadBusy,
} from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import { cloneJson, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import { LeaseLost } from '../journal/activation.ts'
import type { StartedCall } from './started-call.ts'
import type { WaitParts } from './wait-parts.ts'

const SETTLED = 'the call was settled elsewhere'

/**
 * The record of one tool body: what it writes to the journal, and what ended it.
 *
 * R1  A body that was ended stays ended: whatever it catches or returns afterwards, the engine writes its result.
 * R2  A developer's mistake goes to the developer, as the run's failure, not to the model.
 * R3  A body writes nothing once its call is settled or is inside a call that was rejected: it asks nothing more and begins no step.
 */
export class BodyRecord {
  readonly started: StartedCall
  readonly #parts: Pick<WaitParts, 'journal' | 'activation'>
  /** Why the body was ended. */
  ended: HitlControlException | undefined
  /** Whether it was ended by a signal of its own, not by the run's. */
  gaveUp = false
  /** The developer's mistake, if there was one. */
  misuse: HoldpointError | undefined

  constructor(parts: Pick<WaitParts, 'journal' | 'activation'>, started: StartedCall) {
    this.#parts = parts
    this.started = started
  }

  /** The call as the journal has it now. */
  get call(): Call | undefined {
    return findCall(this.#parts.journal.state, this.started.call.key)
  }

  /** Writes an entry, or ends the body if it must not write any more. */
  async append(entry: EntryOf<'request.opened' | 'step.started' | 'step.finished'>): Promise<void> {
    const written = await this.#parts.activation
      .write((state) => (this.#goesOn(state) ? { entries: [entry] } : undefined))
      .catch((error: unknown) => {
        // Another process drives now.
        if (error instanceof LeaseLost || error instanceof ThreadBusy) return undefined
        throw this.notOfTool(error)
      })
    if (written) return
    this.ended ??= new HitlAborted(SETTLED)
    throw this.ended
  }

  /** Checks the lease before code with effects runs, after a wait or at a step's start: another process may have taken over the call. */
  async requireLease(): Promise<void> {
    const { token } = this.started
    const { activation } = this.#parts
    if ((await activation.secure(token)) && activation.covers(token)) return
    this.ended ??= new HitlAborted('another process drives this thread now')
    throw this.ended
  }

  /** Checks that the call goes on, where nothing is written that would show it. */
  requireUnsettled(): void {
    if (!this.#goesOn(this.#parts.journal.state)) throw new HitlAborted(SETTLED)
  }

  /** A copy of a value that is stored. Another value than plain JSON is a mistake. */
  plain(value: unknown, what: string): JsonValue {
    const problem = jsonProblem(value, what)
    if (problem)
      throw this.misused(
        new InputInvalid(`Tool "${this.started.tool.name}": ${problem}; it is stored and must be plain JSON.`),
      )
    return cloneJson(value as JsonValue)
  }

  /** A channel that cannot ask, or a store that cannot read or write, is not the tool's failure: the run fails (R2). */
  notOfTool(error: unknown): unknown {
    return HoldpointError.isInstance(error) && !(error instanceof HitlControlException) ? this.misused(error) : error
  }

  /** Records a mistake. Returns it, to be thrown. */
  misused<T extends HoldpointError>(error: T): T {
    this.misuse ??= error
    return error
  }

  #goesOn(state: ThreadState): boolean {
    const { key } = this.started.call
    return findCall(state, key)?.phase.at === 'started' && !isInsideRejected(state, frameOf(key))
  }
}
