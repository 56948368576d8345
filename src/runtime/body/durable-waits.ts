import { openRun } from '../../core/open-run.ts'
import type { WaitAnswer } from '../../core/state.ts'
import type { WaitOptions } from '../../ports/channel.ts'
import { untilAborted } from '../../ports/signals.ts'
import {
  HitlAborted,
  HitlCancelled,
  HitlDetached,
  HitlDurabilityNotGuaranteed,
  HitlError,
  HitlTimedOut,
} from '../../protocol/errors/errors.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { isSameQuestion, type NumberedQuestion, questionEntry } from './body-question.ts'
import type { BodyRecord } from './body-record.ts'
import type { WaitParts } from './wait-parts.ts'

/**
 * The waits of one tool body that are in the journal. A question is identified by its number: one that was answered before a restart returns that
 * answer and is not asked again.
 */
export class DurableWaits {
  readonly #parts: WaitParts
  readonly #record: BodyRecord

  constructor(parts: WaitParts, record: BodyRecord) {
    this.#parts = parts
    this.#record = record
  }

  /** Stores the question. Without a channel nobody here can answer: the body ends, and is entered again when there is an answer. */
  async wait(question: NumberedQuestion, options: WaitOptions & { beforeBody: boolean }): Promise<JsonValue> {
    const record = this.#record
    const byDefault = this.#parts.channel?.defaultTimeoutSeconds ?? null
    const seconds = options.timeoutSeconds === undefined ? byDefault : options.timeoutSeconds
    const recorded = record.call?.waits[question.ordinal]
    if (!recorded) await this.#store(question, { seconds, beforeBody: options.beforeBody })
    else if (!isSameQuestion(recorded.request, question.asked))
      throw record.misused(
        new HitlError(
          'durability_not_guaranteed',
          `Tool "${record.started.tool.name}" asked something else when it was entered again: the code before its waits must not change what it asks.`,
        ),
      )
    const known = record.call?.waits[question.ordinal]?.answer
    const answer = known ?? (await this.#answered(question.ordinal, options.signal))
    if (answer.kind === 'answered') return answer.value
    throw answer.status === 'expired'
      ? new HitlTimedOut(seconds ?? 0)
      : new HitlCancelled(answer.reason ?? answer.status)
  }

  /** Stores a question that is asked for the first time. */
  async #store(
    question: NumberedQuestion,
    { seconds, beforeBody }: { seconds: number | null; beforeBody: boolean },
  ): Promise<void> {
    const { started } = this.#record
    const { journal, channel, newId } = this.#parts
    if (!beforeBody && !started.tool.resumable && !channel?.allowInsideCustomTool)
      throw this.#record.misused(new HitlDurabilityNotGuaranteed(started.tool.name))
    const expiresAt = seconds === null ? undefined : journal.now() + seconds * 1000
    await this.#record.append(questionEntry(started, question, { id: newId(), run: openRun(journal.state), expiresAt }))
  }

  /** Waits until the journal has an answer, if this process has a channel. */
  async #answered(ordinal: number, signal: AbortSignal | undefined): Promise<WaitAnswer> {
    const { waiting, signals, channel } = this.#parts
    if (signals.detached || !channel) throw new HitlDetached()
    const answer = waiting.wait(this.#record.started.call.key, ordinal)
    signals.nudge()
    const stopped = signal ? AbortSignal.any([this.#parts.signal, signal]) : this.#parts.signal
    return untilAborted(answer, stopped).catch((error: unknown) => {
      throw stopped.aborted && error === stopped.reason ? new HitlAborted(String(stopped.reason)) : error
    })
  }
}
