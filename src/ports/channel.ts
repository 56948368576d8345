import type { Answers } from '../protocol/answer.ts'
import type { Actor, Decision } from '../protocol/decision.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest, Question } from '../protocol/request.ts'

/**
 * How a live run waits for a person in this process.
 *
 * C1  One question is shown at a time (`pending`); others queue behind it in the order in which they were presented.
 * C2  An answer that is refused leaves the question where it is.
 * C3  A question ends exactly once: by an answer, a cancel, a time-out, a signal, or by being withdrawn.
 * C4  A subscriber who comes late is told the current question.
 * C5  A question can be answered as soon as anybody is told of it, and inside of that too.
 */
export interface Channel {
  /** Questions that a tool's body asks are stored, and survive this process. */
  readonly durable: boolean
  /** Whether any tool may wait inside its body, at the risk of being run again from the top. */
  readonly allowInsideCustomTool: boolean
  /** How long a question waits unless it says otherwise; `null` is for ever. */
  readonly defaultTimeoutSeconds: number | null

  /** Asks for a yes or no. Throws `HitlConcurrencyError` if a question is open. */
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  /** Asks whether a call may run. */
  approve(call: { toolName: string; toolCallId: string; args: JsonObject }, options?: ConfirmOptions): Promise<Decision>
  /** Asks to fill in a form. */
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>

  /** The question that is shown now. */
  readonly pending: HitlRequest | undefined
  /**
   * Answers the question that is shown, or one that waits behind it, by its id or question id. Throws `HitlStaleAnswer` if it is not open here,
   * `QuestionAmbiguous` if several share the question id, `AnswerInvalid` for an answer that does not fit.
   */
  answer(questionId: string, answer: unknown, options?: { by?: string | Actor }): Promise<void>
  /** Ends a question without an answer; its waiter gets `HitlCancelled`. */
  cancel(questionId: string, options?: { reason?: string; by?: string | Actor }): Promise<void>
  /** Tells each question as it is shown, the current one at once. Returns how to stop. */
  subscribe(listener: (request: HitlRequest) => unknown): () => void

  /** For tool bodies on a channel that is not durable: asks, behind what is asked already, and waits. */
  wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>
  /** Tells what was asked with the verbs, or by tool bodies, and how it ended. What the loop presents is told by the loop. */
  observe(observer: ChannelObserver): () => void
  /** For the loop: puts a question into the queue. What its asker does with an answer is the asker's business. */
  present(asked: Asked): Presentation
}

/** How a question waits. */
export interface WaitOptions {
  /** Left out: the channel's default. `null`: for ever. A number: that many seconds, 0 included. */
  timeoutSeconds?: number | null
  signal?: AbortSignal
}

/** How a yes or no waits, and what is shown with it. */
export interface ConfirmOptions extends WaitOptions {
  details?: JsonObject
}

/** How a question ended, for observers. */
export type WaitEnding = { answer: JsonValue } | { ended: 'cancelled' | 'timed_out' | 'aborted' | 'detached' }

/** Is told about questions that are on the channel already. What it throws harms nobody. */
export interface ChannelObserver {
  asked(request: HitlRequest): void
  settled(request: HitlRequest, ending: WaitEnding): void
}

/** A question to be shown, and what becomes of an answer. */
export interface Asked {
  readonly request: HitlRequest
  /** Takes an answer; a rejection leaves the question open and goes to whoever answered. */
  submit(answer: unknown, by: Actor): Promise<void>
  cancel(reason: string, by: Actor): Promise<void>
  /** The channel cannot get an answer at all: whoever asked fails with this. */
  fail(error: unknown): void
}

/** A question in a channel's queue. */
export interface Presentation {
  /** Takes it out again, because it was settled or its asker is gone. */
  withdraw(): void
  /** The same request is open at another version: it was escalated, or decided and opened again. Left out: it stays as it was shown. */
  update?(request: HitlRequest): void
}

/** Marks test doubles whose answers are taken as they are. No entry point exports it. */
export const UNCHECKED: unique symbol = Symbol('unchecked')

/** Whether the answers of a channel are taken without a check against the question. */
export function isUnchecked(channel: Channel): boolean {
  return UNCHECKED in channel && channel[UNCHECKED] === true
}
