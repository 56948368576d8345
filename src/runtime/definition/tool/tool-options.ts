import type { ReviewOptions } from '../../../policy/policy.ts'
import type { OutputOf, ParametersSchema } from '../../../protocol/checks/standard-schema.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json/json.ts'
import type { Risk } from '../../../protocol/request.ts'
import type { ErrorFunction, IsEnabled } from '../behavior.ts'
import type { ToolInputGuardrail, ToolOutputGuardrail } from '../guardrails.ts'
import type {
  FactsContext,
  NeedsApproval,
  OnApproval,
  Preview,
  PreviewCheck,
  UnknownOutcomePolicy,
} from './approval.ts'
import type { ToolContext } from './tool-context.ts'
import type { DisplayOptions } from './tool-display.ts'

/**
 * The options of `tool`. `TContext` is the context that the body needs; it becomes part of the tool's type. `TRule` is the context that the rules need.
 * They are separate, so that a rule which ignores the context does not change the body's type.
 */
export interface ToolOptions<TSchema extends ParametersSchema, TDeps = unknown, TContext = unknown, TRule = TContext> {
  name: string
  /** Other names of this tool. Calls, rules and standing decisions may use any of them. The model is offered only `name`. */
  aliases?: readonly string[]
  description: string
  /** A Standard Schema of an object (zod, valibot, arktype, …), or its JSON Schema as plain data. */
  parameters: TSchema
  /** The parameters as JSON Schema, for schema libraries that do not provide it. The output of a converter can be passed directly. */
  parametersJsonSchema?: object
  /** Further data that identifies the tool in approvals. The model does not see it. Another value makes it another tool. */
  annotations?: JsonObject
  /** Whether a person decides about a call first. Default `false`. */
  needsApproval?: NeedsApproval<OutputOf<TSchema>, TRule>
  /** Whether the model is offered it. A function is asked once before each model call; what is not offered cannot be called. Default `true`. */
  isEnabled?: IsEnabled<TRule>
  /** Decides in code what `needsApproval` holds, before anybody is asked. People are asked where it returns `undefined`. */
  onApproval?: OnApproval<TRule>
  /** How people are asked when `needsApproval` holds a call: which decisions they have, who may decide, until when. */
  review?: ReviewOptions
  /**
   * How a call is shown to people: a headline made of arguments, the order and format of fields, what it touches. Stored with each request; approvals
   * and grants do not depend on it.
   */
  display?: DisplayOptions<OutputOf<TSchema>>
  /** Calls of tools with the same line run one after the other, in the order in which they start. Default: calls run side by side. */
  line?: string
  /**
   * Does the work. A string or an array of parts is returned as it is, bytes become a file part, and other data becomes JSON: `undefined` members are
   * left out, in arrays they are `null`, and `-0` is `0`. A value that JSON cannot represent (`NaN`, a `Map`, nested bytes) is an error result.
   */
  execute(args: OutputOf<TSchema>, ctx: ToolContext<TContext, TDeps>): unknown
  /**
   * Returns what the model reads if `execute` throws. `null`: the run fails with `ToolFailed`, after the error was recorded as the call's result.
   * Default: a text with the error's message.
   */
  errorFunction?: ErrorFunction<TRule> | null
  /** Whether running it twice with the same `idempotencyKey` has one effect. */
  idempotent?: boolean
  /** Whether its body may be entered again after a restart: every effect is inside `ctx.step`. Only such a tool may wait durably. */
  resumable?: boolean
  /** Default: `'retry'` if `idempotent`, else `'ask'`. */
  onUnknownOutcome?: UnknownOutcomePolicy
  /** The timeout of its body. */
  timeoutSeconds?: number
  /** How much is at stake; shown with the request. */
  risk?: Risk
  /**
   * Shows a person the effect (a string, JSON, a diff). The digest covers it. It is read when a person is asked and again right before the call
   * runs. If it changed, people are asked again. With `{ show, compare }` people see `show`, and only `compare` is compared.
   */
  preview?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): Preview | Promise<Preview>
  /** Whether the preview must be unchanged when the call runs. Default `'same'`. */
  previewCheck?: PreviewCheck
  /** Check a call right before it runs: let it run, let the model read a message instead, or stop the run. */
  inputGuardrails?: readonly ToolInputGuardrail<TRule>[]
  /** Check the result before the model reads it. */
  outputGuardrails?: readonly ToolOutputGuardrail<TRule>[]
  /** Reads the state that the call depends on, when a person is asked and again right before it runs. If it changed, people are asked again. */
  preconditions?(args: OutputOf<TSchema>, ctx: FactsContext<TRule>): JsonValue | Promise<JsonValue>
}
