import type { ConfirmOptions, WaitOptions } from '../../../ports/channel.ts'
import type { Answers } from '../../../protocol/answer.ts'
import type { Actor, Decision, DecisionType } from '../../../protocol/decision.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { Question, Risk } from '../../../protocol/request.ts'

/** The second argument of a tool's `execute`. */
export interface ToolContext<TContext = unknown, TDeps = unknown> {
  readonly threadId: string
  readonly runId: string
  readonly toolCallId: string
  /** The same for every attempt at this released call. Pass it on to the system that the tool calls. */
  readonly idempotencyKey: string
  /**
   * The number of the lease that this body runs under. It grows each time a process takes over the thread. A system that stores the highest token
   * of a thread and refuses lower ones is safe from a process that was frozen and woke up late.
   */
  readonly fencingToken: number
  /** 1, or higher after a crash. */
  readonly attempt: number
  readonly context: TContext
  /** Live objects, never stored. */
  readonly deps: TDeps
  /** Aborted when the run is stopped or the tool times out. */
  readonly signal: AbortSignal
  /** Who approved the call, if a person was asked. */
  readonly approvedBy: Actor | undefined
  /** Asks a person a yes/no question through the thread's channel, and waits. */
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  /** Asks a person to fill in a form through the thread's channel, and waits. */
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>
  /** Asks a person for a decision (approve, edit, reject, respond) about anything, and waits. The tool interprets the decision. */
  hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>
  /** Runs `work` once, even if the body is entered again after a restart. For tools marked `resumable`. */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
}

/** The request of `ctx.hold`. */
export interface HoldRequest {
  description: string
  /** The subject of the decision; an `edit` may change it. */
  args?: JsonObject
  details?: JsonObject
  /** Default: all four. */
  allowedDecisions?: readonly DecisionType[]
  risk?: Risk
}
