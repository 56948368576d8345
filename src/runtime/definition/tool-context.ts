import type { ConfirmOptions, WaitOptions } from '../../ports/channel.ts'
import type { Answers } from '../../protocol/answer.ts'
import type { Actor, Decision, DecisionType } from '../../protocol/decision.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { Question, Risk } from '../../protocol/request.ts'

/** What a tool's body gets beside its arguments. */
export interface ToolContext<TContext = unknown, TDeps = unknown> {
  readonly threadId: string
  readonly runId: string
  readonly toolCallId: string
  /** The same for every attempt at this released call: hand it on to whatever the tool calls. */
  readonly idempotencyKey: string
  /**
   * The number of the lease that this body runs under: it grows with every process that takes the thread over. A system that keeps the highest
   * one it has seen of a thread, and refuses lower ones, is safe from a process that was frozen at the worst moment.
   */
  readonly fencingToken: number
  /** 1, or more after a crash. */
  readonly attempt: number
  readonly context: TContext
  /** Live objects, never stored. */
  readonly deps: TDeps
  /** Fires when the run is stopped or the tool's time is over. */
  readonly signal: AbortSignal
  /** Who let it run, if somebody was asked. */
  readonly approvedBy: Actor | undefined
  /** Asks a person yes or no, through the thread's channel, and waits. */
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  /** Asks a person to fill in a form, through the thread's channel, and waits. */
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>
  /** Asks a person for a decision about anything (approve, edit, reject, respond), and waits. What it means is the tool's to say. */
  hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>
  /** Does something once, also if the body is entered again after a restart. For tools marked `resumable`. */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
}

/** What a tool asks a decision about. */
export interface HoldRequest {
  description: string
  /** What is at issue; an `edit` may change it. */
  args?: JsonObject
  details?: JsonObject
  /** Default: all four. */
  allowedDecisions?: readonly DecisionType[]
  risk?: Risk
}
