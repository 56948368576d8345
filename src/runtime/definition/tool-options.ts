import type { OutputOf, StandardSchema } from '../../protocol/checks/standard-schema.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { Risk } from '../../protocol/request.ts'
import type { FactsContext, NeedsApproval, Preview, PreviewCheck, UnknownOutcomePolicy } from './approval.ts'
import type { ToolInputGuardrail, ToolOutputGuardrail } from './guardrails.ts'
import type { ToolContext } from './tool-context.ts'

/**
 * What a tool is made from. `TContext` is what its body needs of the run's context, and what the tool's type says. `TRule` is what its rules need: it is
 * apart, so that a rule that does not look at the context leaves the body's type alone.
 */
export interface ToolOptions<TSchema extends StandardSchema, TDeps = unknown, TContext = unknown, TRule = TContext> {
  name: string
  /** Other names of the same tool: calls, rules and standing decisions under one of them are about this one. The model is told `name` alone. */
  aliases?: readonly string[]
  description: string
  /** A Standard Schema of an object: zod, valibot, arktype, … */
  parameters: TSchema
  /** The parameters as JSON Schema, where the schema library does not provide it. What a converter returns can be passed as it is. */
  parametersJsonSchema?: object
  /** What else makes it the tool that was approved; not told to the model. Another value is another tool. */
  annotations?: JsonObject
  /** Default `false`. */
  needsApproval?: NeedsApproval<OutputOf<TSchema>, TRule>
  /**
   * Does the work. A string or parts are the result as they are, bytes become a file part, and other data is written as JSON: members that are
   * `undefined` are left out, in arrays they are `null`, and `-0` is `0`. What JSON cannot carry (`NaN`, a `Map`, bytes inside) is an error result.
   */
  execute(args: OutputOf<TSchema>, ctx: ToolContext<TContext, TDeps>): unknown
  /** Running it twice with the same `idempotencyKey` has one effect. */
  idempotent?: boolean
  /** Its body may be entered again after a restart: what has an effect is inside `ctx.step`. Only such a tool may wait durably. */
  resumable?: boolean
  /** Default: `'retry'` if it is idempotent, else `'ask'`. */
  onUnknownOutcome?: UnknownOutcomePolicy
  /** How long its body may take. */
  timeoutSeconds?: number
  /** How much is at stake; shown with the request. */
  risk?: Risk
  /**
   * What a person is shown of the effect (a string, JSON, a diff): covered by the digest. Read when somebody is asked and again right before it
   * runs; if it changed, nothing runs and it is asked again. Of `{ show, compare }` people see `show`, and `compare` alone is compared.
   */
  preview?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): Preview | Promise<Preview>
  /** Whether the preview has to be the same when the call runs. Default `'same'`. */
  previewCheck?: PreviewCheck
  /** Look at a call right before it runs: they let it run, let the model read something else, or stop the run. */
  inputGuardrails?: readonly ToolInputGuardrail<TRule>[]
  /** Look at what it returned before the model does. */
  outputGuardrails?: readonly ToolOutputGuardrail<TRule>[]
  /** What the call depends on: read when somebody is asked and again right before it runs. If it changed, nothing runs and it is asked again. */
  preconditions?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): JsonValue | Promise<JsonValue>
}
