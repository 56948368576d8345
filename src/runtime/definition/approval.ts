import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { ContextFunction, RunContext } from '../../protocol/run-context.ts'

/** What `preview` and `preconditions` get beside the arguments. */
export interface FactsContext<TContext = unknown, TDeps = unknown> {
  readonly context: TContext
  readonly deps: TDeps
}

/** What `preview` returns. */
export type Preview = JsonValue | { show: JsonValue; compare: JsonValue }

/** Whether a preview is read again and compared before the call runs. */
export type PreviewCheck = 'same' | 'none'

/** What to do with a call that was started and nobody knows how it ended. */
export type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail'

/** Decides whether a call has to be decided by a person. */
export type NeedsApproval<TArgs, TContext = unknown> =
  | boolean
  | ContextFunction<[runContext: RunContext<TContext>, args: TArgs, callId: string], boolean | Promise<boolean>>

/** A call that `onApproval` is asked about. A copy. */
export interface ApprovalItem {
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
  /** The id of the agent that makes it. */
  readonly agent: string
}

/**
 * Decides in code a call that its tool's own rule holds, before anybody is asked. `undefined` leaves it to people. What it approves is still
 * held or denied if a policy says so; `reason` is what the model reads of a rejection.
 */
export type OnApproval<TContext = unknown> = ContextFunction<
  [runContext: RunContext<TContext>, item: ApprovalItem],
  ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>
>

/** What `onApproval` decided. */
export interface ApprovalAnswer {
  approve: boolean
  reason?: string
}
