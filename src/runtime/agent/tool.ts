import { fingerprint, type ToolDefinition } from '../../core/digest.ts'
import type { ReviewOptions } from '../../policy/policy.ts'
import type { ConfirmOptions, WaitOptions } from '../../ports/channel.ts'
import type { HostedMcpServer } from '../../ports/model.ts'
import type { Answers } from '../../protocol/answer.ts'
import type { Actor, Decision, DecisionType } from '../../protocol/decision.ts'
import { isDuration } from '../../protocol/durations.ts'
import { ToolInvalid } from '../../protocol/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../protocol/json.ts'
import type { InputMessage, Message } from '../../protocol/message.ts'
import { type Question, type Risk, risks } from '../../protocol/request.ts'
import type { ContextFunction, RunContext } from '../../protocol/run-context.ts'
import type { OutputOf, StandardSchema } from '../../protocol/standard-schema.ts'
import type { Agent } from './agent.ts'
import { type KnownArgs, notPlain } from './args.ts'
import { checkGuardrails, type ToolInputGuardrail, type ToolOutputGuardrail } from './guardrails.ts'
import type { HandoffInputFilter } from './handoff.ts'
import { checkGivenSchema, jsonSchemaOf, outputProblem } from './json-schema.ts'

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

/** What `preview` and `preconditions` get beside the arguments. */
export interface FactsContext {
  readonly context: unknown
  readonly deps: unknown
}

/** What `preview` returns. */
export type Preview = JsonValue | { show: JsonValue; compare: JsonValue }

/** Whether a preview is read again and compared before the call runs. */
export type PreviewCheck = 'same' | 'none'

/** What to do with a call that was started and nobody knows how it ended. */
export type UnknownOutcomePolicy = 'ask' | 'retry' | 'fail'

/** Decides whether a call has to be decided by a person. */
export type NeedsApproval<TArgs> =
  | boolean
  | ContextFunction<[runContext: RunContext, args: TArgs, callId: string], boolean | Promise<boolean>>

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
export type OnApproval = ContextFunction<
  [runContext: RunContext, item: ApprovalItem],
  ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>
>

/** What `onApproval` decided. */
export interface ApprovalAnswer {
  approve: boolean
  reason?: string
}

/** What a tool is made from. */
export interface ToolOptions<TSchema extends StandardSchema, TDeps = unknown> {
  name: string
  /** Other names of the same tool: calls, rules and standing decisions under one of them are about this one. The model is told `name` alone. */
  aliases?: readonly string[]
  description: string
  /** A Standard Schema of an object: zod, valibot, arktype, … */
  parameters: TSchema
  /** For schemas that cannot tell their JSON Schema themselves. */
  parametersJsonSchema?: JsonObject
  /** What else makes it the tool that was approved; not told to the model. Another value is another tool. */
  annotations?: JsonObject
  /** Default `false`. */
  needsApproval?: NeedsApproval<OutputOf<TSchema>>
  execute(args: OutputOf<TSchema>, ctx: ToolContext<unknown, TDeps>): unknown
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
  preview?(args: OutputOf<TSchema>, ctx: FactsContext): Preview | Promise<Preview>
  /** Whether the preview has to be the same when the call runs. Default `'same'`. */
  previewCheck?: PreviewCheck
  /** Look at a call right before it runs: they let it run, let the model read something else, or stop the run. */
  inputGuardrails?: readonly ToolInputGuardrail[]
  /** Look at what it returned before the model does. */
  outputGuardrails?: readonly ToolOutputGuardrail[]
  /** What the call depends on: read when somebody is asked and again right before it runs. If it changed, nothing runs and it is asked again. */
  preconditions?(args: OutputOf<TSchema>, ctx: FactsContext): JsonValue | Promise<JsonValue>
}

/** A tool that is not a function but another agent. */
type SpecialTool =
  | {
      readonly kind: 'agent'
      readonly agent: Agent
      readonly maxTurns: number | null
      toInput(released: KnownArgs): Promise<InputMessage[]>
      readonly output:
        | ((result: { finalOutput: string; messages: readonly Message[] }) => string | Promise<string>)
        | undefined
    }
  | { readonly kind: 'handoff'; readonly agent: Agent; readonly inputFilter: HandoffInputFilter | undefined }

/** A tool that agents can be given. Made by {@link tool}, `agent.asTool` and `handoff`. */
export interface Tool {
  readonly name: string
  readonly aliases: readonly string[]
  /** Under another name: the tool that it is an alias of. */
  readonly aliasOf?: string
  /** Tools of a server that the model's provider runs: it is not called itself, they are. */
  readonly hosted?: HostedTools
  /** The tool as it is now, where somebody else defines it and may change it. */
  readonly current?: () => Tool
  readonly definition: ToolDefinition
  /** The definition's fingerprint: part of every digest. */
  readonly fingerprint: string
  readonly parameters: StandardSchema
  readonly needsApproval: NeedsApproval<never>
  /** Decides in code what `needsApproval` holds. Built-in tools have it. */
  readonly onApproval?: OnApproval
  /** How people are asked when `needsApproval` holds a call. */
  readonly review?: ReviewOptions
  /** Calls of tools that share a line run one after the other, in the order in which they start. Built-in tools have it. */
  readonly line?: string
  readonly execute: (args: never, ctx: ToolContext<never, never>) => unknown
  readonly resumable: boolean
  readonly onUnknownOutcome: UnknownOutcomePolicy
  readonly timeoutSeconds: number | undefined
  readonly risk: Risk | undefined
  readonly preview: ((args: never, ctx: FactsContext) => unknown) | undefined
  readonly previewCheck: PreviewCheck
  readonly preconditions: ((args: never, ctx: FactsContext) => unknown) | undefined
  readonly inputGuardrails: readonly ToolInputGuardrail[]
  readonly outputGuardrails: readonly ToolOutputGuardrail[]
  readonly special: SpecialTool | undefined
}

/** Tools that the model's provider runs. */
export interface HostedTools {
  /** What the provider is told. */
  readonly server: HostedMcpServer
  /** What their names begin with: the server's label and a dot. */
  readonly prefix: string
  /** The tool of the server that is called so, after the prefix: what runs is the answer to the provider. */
  member(name: string): Tool | undefined
}

const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

/** Defines a tool. Throws `ToolInvalid` for anything that would only show at run time otherwise. */
export function tool<TSchema extends StandardSchema, TDeps = unknown>(options: ToolOptions<TSchema, TDeps>): Tool {
  const { name, description, parameters } = options
  if (typeof name !== 'string' || !NAME.test(name))
    throw new ToolInvalid(String(name), 'its name must match [A-Za-z0-9_.:/-]{1,128}')
  checkAliases(name, options.aliases)
  if (typeof description !== 'string') throw new ToolInvalid(name, 'it needs a description')
  if (typeof parameters?.['~standard']?.validate !== 'function')
    throw new ToolInvalid(name, 'its parameters are not a Standard Schema')
  if (typeof options.execute !== 'function') throw new ToolInvalid(name, 'it needs an execute function')
  checkOptions(name, options)
  const schema =
    options.parametersJsonSchema === undefined
      ? jsonSchemaOf(parameters)
      : checkGivenSchema(options.parametersJsonSchema)
  if (!schema.ok) throw new ToolInvalid(name, schema.problem)
  const unshowable = outputProblem(parameters)
  if (unshowable !== undefined) throw new ToolInvalid(name, notPlain(`its parameters yield ${unshowable}`))
  const definition: ToolDefinition = { name, description, parameters: schema.value }
  if (options.annotations !== undefined) definition.annotations = checkAnnotations(name, options.annotations)
  return Object.freeze({
    name,
    aliases: Object.freeze([...(options.aliases ?? [])]),
    definition,
    fingerprint: fingerprint(definition),
    parameters,
    needsApproval: (options.needsApproval ?? false) as NeedsApproval<never>,
    execute: options.execute as Tool['execute'],
    resumable: options.resumable ?? false,
    onUnknownOutcome: options.onUnknownOutcome ?? (options.idempotent ? 'retry' : 'ask'),
    timeoutSeconds: options.timeoutSeconds,
    risk: options.risk,
    preview: options.preview as Tool['preview'],
    previewCheck: options.previewCheck ?? 'same',
    preconditions: options.preconditions as Tool['preconditions'],
    inputGuardrails: checkGuardrails(`Tool "${name}"`, options.inputGuardrails, 'run'),
    outputGuardrails: checkGuardrails(`Tool "${name}"`, options.outputGuardrails, 'run'),
    special: undefined,
  })
}

/** The same tool under one of its other names, with the fingerprint that it has under it. */
export function asAlias(known: Tool, name: string): Tool {
  const definition = { ...known.definition, name }
  const { current } = known
  return Object.freeze({
    ...known,
    name,
    aliasOf: known.name,
    definition,
    fingerprint: fingerprint(definition),
    ...(current ? { current: () => asAlias(current(), name) } : {}),
  })
}

/** What the model is told of a tool, as it is now. */
export function toOffer(known: Tool): { name: string; description: string; parameters: JsonObject } {
  const { definition } = known.current ? known.current() : known
  const { annotations: _annotations, ...offer } = definition
  const { $schema, ...parameters } = offer.parameters
  // Not every provider takes a schema that names its draft.
  return $schema === undefined ? offer : { ...offer, parameters }
}

const KNOWN = new Set([
  'name',
  'aliases',
  'description',
  'parameters',
  'parametersJsonSchema',
  'annotations',
  'needsApproval',
  'execute',
  'idempotent',
  'resumable',
  'onUnknownOutcome',
  'timeoutSeconds',
  'risk',
  'preview',
  'previewCheck',
  'preconditions',
  'inputGuardrails',
  'outputGuardrails',
])

function checkOptions(name: string, options: Partial<Record<keyof ToolOptions<StandardSchema>, unknown>>): void {
  if (options.risk !== undefined && !risks.includes(options.risk as Risk))
    throw new ToolInvalid(name, `risk must be one of ${risks.join(', ')}`)
  for (const key of ['preview', 'preconditions'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function')
      throw new ToolInvalid(name, `${key} must be a function`)
  }
  if (options.previewCheck !== undefined && !['same', 'none'].includes(options.previewCheck as string))
    throw new ToolInvalid(name, `previewCheck must be 'same' or 'none'`)
  // A misspelt needsApproval would leave the gate open.
  const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) throw new ToolInvalid(name, `there is no option "${unknown}"`)
  const { needsApproval, onUnknownOutcome, timeoutSeconds, idempotent, resumable } = options
  if (needsApproval !== undefined && typeof needsApproval !== 'boolean' && typeof needsApproval !== 'function') {
    throw new ToolInvalid(name, 'needsApproval must be a boolean or a function')
  }
  if (resumable !== undefined && typeof resumable !== 'boolean')
    throw new ToolInvalid(name, 'resumable must be a boolean')
  if (idempotent !== undefined && typeof idempotent !== 'boolean')
    throw new ToolInvalid(name, 'idempotent must be a boolean')
  if (onUnknownOutcome !== undefined && !['ask', 'retry', 'fail'].includes(onUnknownOutcome as string)) {
    throw new ToolInvalid(name, `onUnknownOutcome must be 'ask', 'retry' or 'fail'`)
  }
  if (timeoutSeconds !== undefined && !(isDuration(timeoutSeconds) && timeoutSeconds > 0)) {
    throw new ToolInvalid(name, 'timeoutSeconds must be a positive number')
  }
}

function checkAliases(name: string, aliases: unknown = []): void {
  if (!Array.isArray(aliases)) throw new ToolInvalid(name, 'aliases must be a list of names')
  const wrong = aliases.find((one) => typeof one !== 'string' || !NAME.test(one) || one === name)
  if (wrong !== undefined)
    throw new ToolInvalid(name, `its alias "${wrong}" must be another name that matches [A-Za-z0-9_.:/-]{1,128}`)
}

function checkAnnotations(name: string, annotations: unknown): JsonObject {
  const problem = jsonProblem(annotations, 'annotations')
  if (problem || typeof annotations !== 'object' || annotations === null || Array.isArray(annotations))
    throw new ToolInvalid(name, `its annotations must be a JSON object${problem ? `: ${problem}` : ''}`)
  return cloneJson(annotations as JsonObject)
}
