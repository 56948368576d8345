import type { Answers } from '../protocol/answer.ts'
import type { Actor, Decision } from '../protocol/decision.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest, Question } from '../protocol/request.ts'

/**
 * How a live run waits for a person in this process.
 *
 * C1  One question is shown at a time (`pending`). Others queue behind it in the order in which they were presented.
 * C2  A refused answer leaves the question open.
 * C3  A question ends exactly once: by an answer, a cancel, a timeout, a signal, or a withdrawal.
 * C4  A late subscriber gets the current question.
 * C5  A question can be answered as soon as a listener gets it, even inside that listener.
 */
export interface Channel {
  /** Whether questions of tool bodies are stored and survive this process. */
  readonly durable: boolean
  /** Whether every tool may wait inside its body, at the risk of running again from the top. */
  readonly allowInsideCustomTool: boolean
  /** The default timeout of a question. `null`: no timeout. */
  readonly defaultTimeoutSeconds: number | null

  /** Asks for a yes or no. Throws `HitlConcurrencyError` if a question is open. */
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  /** Asks whether a call may run. */
  approve(call: { toolName: string; toolCallId: string; args: JsonObject }, options?: ConfirmOptions): Promise<Decision>
  /** Asks a person to fill in a form. */
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>

  /** The question shown now. */
  readonly pending: HitlRequest | undefined
  /**
   * Answers an open question, shown or queued, by its id or question id. Throws `HitlStaleAnswer` if it is not open
   * here, `QuestionAmbiguous` if several share the question id, and `AnswerInvalid` if the answer does not fit.
   */
  answer(questionId: string, answer: unknown, options?: { by?: string | Actor }): Promise<void>
  /** Ends a question without an answer. Its waiter gets `HitlCancelled`. */
  cancel(questionId: string, options?: { reason?: string; by?: string | Actor }): Promise<void>
  /**
   * Calls the listener with each question as it is shown, and with the current one at once. Returns an unsubscribe
   * function.
   */
  subscribe(listener: (request: HitlRequest) => unknown): () => void

  /** For tool bodies on a channel that is not durable: queues a question and waits for its answer. */
  wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>
  /**
   * Observes questions of the verbs and of tool bodies, and how they ended. The loop reports the questions that it
   * presents itself.
   */
  observe(observer: ChannelObserver): () => void
  /** For the loop: queues a question. The asker handles its answer. */
  present(asked: Asked): Presentation
}

/** Options of a wait. */
export interface WaitOptions {
  /** Default: the channel's. `null`: no timeout. A number: seconds, 0 included. */
  timeoutSeconds?: number | null
  signal?: AbortSignal
}

/** Options of a confirmation. */
export interface ConfirmOptions extends WaitOptions {
  details?: JsonObject
}

/** How a question ended, for observers. */
export type WaitEnding = { answer: JsonValue } | { ended: 'cancelled' | 'timed_out' | 'aborted' | 'detached' }

/** Is called for questions on the channel. Its errors affect nobody else. */
export interface ChannelObserver {
  asked(request: HitlRequest): void
  settled(request: HitlRequest, ending: WaitEnding): void
}

/** A question to show, with handlers for its outcome. */
export interface Asked {
  readonly request: HitlRequest
  /** Takes an answer. If it rejects, the question stays open and the answerer gets the error. */
  submit(answer: unknown, by: Actor): Promise<void>
  cancel(reason: string, by: Actor): Promise<void>
  /** Called if the channel cannot get an answer at all. The asker fails with this error. */
  fail(error: unknown): void
}

/** A question in a channel's queue. */
export interface Presentation {
  /** Removes the question, because it was settled or its asker is gone. */
  withdraw(): void
  /**
   * Called when the request has a new version: it was escalated, or decided and reopened. Optional: without it, the
   * question stays as shown.
   */
  update?(request: HitlRequest): void
}

/** Marks test doubles whose answers are not checked. No entry point exports it. */
export const UNCHECKED: unique symbol = Symbol('unchecked')

/** Whether a channel's answers are accepted without a check. */
export function isUnchecked(channel: Channel): boolean {
  return UNCHECKED in channel && channel[UNCHECKED] === true
}
