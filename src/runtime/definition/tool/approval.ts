import type { JsonObject, JsonValue } from '../../../protocol/json/json.ts'
import type { ContextFunction, RunContext } from '../../../protocol/run-context.ts'

/** The second argument of `preview` and `preconditions`. */
export interface FactsContext<TContext = unknown, TDeps = unknown> {
  readonly context: TContext
  readonly deps: TDeps
}

/** The result of `preview`. */
export type Preview = JsonValue | { show: JsonValue; compare: JsonValue }

/** Whether a preview is read again and compared before the call runs. */
export type PreviewCheck = 'same' | 'none'

/** What happens to a call that was started and whose outcome is unknown. */
export type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail'

/** Whether a person has to decide about a call. */
export type NeedsApproval<TArgs, TContext = unknown> =
  | boolean
  | ContextFunction<[runContext: RunContext<TContext>, args: TArgs, callId: string], boolean | Promise<boolean>>

/** A copy of the call that `onApproval` is called with. */
interface ApprovalItem {
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
  /** The id of the agent that makes the call. */
  readonly agent: string
}

/**
 * Decides in code about a call that `needsApproval` holds, before anybody is asked. `undefined` leaves the decision to people. Policies can
 * still hold or deny an approved call. The model reads `reason` after a rejection.
 */
export type OnApproval<TContext = unknown> = ContextFunction<
  [runContext: RunContext<TContext>, item: ApprovalItem],
  ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>
>

/** The decision of `onApproval`. */
interface ApprovalAnswer {
  approve: boolean
  reason?: string
}
