import { openRun } from '../../core/open-run.ts'
import { outside } from '../../ports/call-scope.ts'
import type { Channel, WaitOptions } from '../../ports/channel.ts'
import { HitlAborted, HitlDetached } from '../../protocol/errors/errors.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { type NumberedQuestion, questionRequest } from './body-question.ts'
import type { BodyRecord } from './body-record.ts'
import type { WaitParts } from './wait-parts.ts'

/** The waits of one tool body that only the channel knows. */
export class InMemoryWaits {
  readonly #parts: WaitParts
  readonly #record: BodyRecord
  #over: AbortController | undefined

  constructor(parts: WaitParts, record: BodyRecord) {
    this.#parts = parts
    this.#record = record
  }

  /** Asks on a channel that stores nothing. */
  async wait(channel: Channel, question: NumberedQuestion, options: WaitOptions): Promise<JsonValue> {
    const { journal, signals, signal, newId } = this.#parts
    this.#over ??= new AbortController()
    const { signal: over } = this.#over
    await journal.catchUp().catch((error: unknown) => {
      throw this.#record.notOfTool(error)
    })
    // The body may have ended meanwhile (W2 of `BodyWaits`).
    over.throwIfAborted()
    this.#record.requireUnsettled()
    const { state } = journal
    const facts = { id: newId(), run: openRun(state), state, now: journal.now() }
    const ends = [over, signals.detachedSignal, signal, ...(options.signal ? [options.signal] : [])]
    const timeout = options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }
    try {
      const request = questionRequest(this.#record.started, question, facts)
      return await outside(() => channel.wait(request, { ...timeout, signal: AbortSignal.any(ends) }))
    } catch (error) {
      throw signals.detached && error instanceof HitlAborted ? new HitlDetached(false) : this.#record.notOfTool(error)
    }
  }

  /** Withdraws the questions that are being asked. */
  withdraw(reason: string): void {
    this.#over?.abort(new HitlAborted(reason))
  }
}
