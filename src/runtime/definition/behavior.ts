import type { CallOutcome } from '../../core/state.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ToolResult } from '../../protocol/message.ts'
import type { ContextFunction, RunContext } from '../../protocol/run-context.ts'

/** Whether an agent may use a tool or hand-off now. A function is called once before each model call, with the id of the agent. */
export type IsEnabled<TContext = unknown> =
  | boolean
  | ContextFunction<
      [given: { readonly runContext: RunContext<TContext>; readonly agent: string }],
      boolean | Promise<boolean>
    >

/** Returns what the model reads of an error that a tool's body threw. */
export type ErrorFunction<TContext = unknown> = ContextFunction<
  [runContext: RunContext<TContext>, error: unknown],
  string | Promise<string>
>

/** A call of the last turn, with its result. */
export interface ToolUse {
  readonly toolName: string
  readonly toolCallId: string
  /** The recorded arguments of the model's call. */
  readonly args: JsonObject
  /** What the model would read. */
  readonly result: ToolResult
  /** `'finished'` if the tool ran, else why it did not. */
  readonly outcome: CallOutcome['how']
}

/** The answer of a `toolUseBehavior` function. */
export type ToolsToFinalOutput =
  | { isFinalOutput: false; isInterrupted?: undefined }
  | { isFinalOutput: true; isInterrupted?: undefined; finalOutput: string }

/**
 * What happens when all calls of a turn have a result. `'run_llm_again'`: the model reads the results. `'stop_on_first_tool'`: the first result is
 * the final output. `{ stopAtToolNames }`: the first result of one of these tools is. A function is called with all of them and decides.
 */
export type ToolUseBehavior<TContext = unknown> =
  | 'run_llm_again'
  | 'stop_on_first_tool'
  | { readonly stopAtToolNames: readonly string[] }
  | ContextFunction<
      [runContext: RunContext<TContext>, toolUses: readonly ToolUse[]],
      ToolsToFinalOutput | Promise<ToolsToFinalOutput>
    >
