import type { ToolDefinition } from '../../core/digest.ts'
import type { BoundPolicy } from '../../policy/compose.ts'
import type { ReviewOptions } from '../../policy/policy.ts'
import type { HostedMcpServer, Model } from '../../ports/model.ts'
import type { AgentLimits, Limits } from '../../protocol/checks/limits.ts'
import type { StandardSchema } from '../../protocol/checks/standard-schema.ts'
import type { AgentRef } from '../../protocol/entries/entry.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { InputMessage, Message } from '../../protocol/message.ts'
import type { Risk } from '../../protocol/request.ts'
import type { AnyContext, ContextFunction, RunContext } from '../../protocol/run-context.ts'
import type { ErrorFunction, IsEnabled, ToolUseBehavior } from './behavior.ts'
import type { InputGuardrail, OutputGuardrail, ToolInputGuardrail, ToolOutputGuardrail } from './guardrails.ts'
import type { Middleware } from './middleware.ts'
import type { FactsContext, NeedsApproval, OnApproval, PreviewCheck, UnknownOutcomePolicy } from './tool/approval.ts'
import type { KnownArgs } from './tool/args.ts'
import type { ToolContext } from './tool/tool-context.ts'
import type { ToolDisplay } from './tool/tool-display.ts'

/**
 * An agent as the engine sees it: a stateless definition, shared by any number of threads. `Agent` is the public subclass.
 *
 * `AgentDefinition` and `Tool` refer to each other (a tool may be an agent), so they share this file.
 */
export abstract class AgentDefinition<TContext = AnyContext, TOutput = unknown> {
  /** Type-level only: the context that the agent needs, and the output of its runs. */
  declare readonly '~types'?: { readonly context: (context: TContext) => void; readonly output: TOutput }
  /** The identity as a root: `ownId`, else the name. */
  abstract readonly id: string
  /** @internal The `id` option. */
  abstract readonly ownId: string | undefined
  abstract readonly name: string
  abstract readonly version: string | undefined
  abstract readonly instructions: Instructions | undefined
  abstract readonly model: Model
  /** @internal The type of its last answer, if that is not a plain string. */
  abstract readonly outputType: OutputType | undefined
  /** @internal What happens when all calls of a turn have a result. */
  abstract readonly toolUseBehavior: ToolUseBehavior
  abstract readonly tools: readonly Tool[]
  /** @internal The servers whose tools the model's provider runs. */
  abstract readonly hosted: readonly HostedTools[]
  /** The tools and hand-offs that the model may call. */
  abstract readonly toolset: readonly Tool[]
  abstract readonly handoffDescription: string | undefined
  /** @internal Size limits of answers, arguments and results. */
  abstract readonly limits: Limits<AgentLimits>
  abstract readonly onPolicyChange: OnPolicyChange
  abstract readonly middleware: readonly Middleware[]
  abstract readonly inputGuardrails: readonly InputGuardrail[]
  abstract readonly outputGuardrails: readonly OutputGuardrail[]
  abstract readonly toolErrorFormatter: ToolErrorFormatter | undefined
  /** @internal The agents that this one can reach, with their identities. */
  abstract readonly graph: AgentGraph
  /** @internal The policies, bound to every tool that this agent can reach. */
  abstract readonly policies: readonly BoundPolicy[]
  /** @internal Whether the `handoffs` function has not been called yet. */
  abstract readonly isUnasked: boolean
  /** @internal Resolves the `handoffs` of every reachable agent and binds their policies. Throws `AgentInvalid` if the graph is invalid. */
  abstract complete(): void
  /** The current tool of that name. */
  abstract findTool(name: string): Tool | undefined
  /** @internal The hosted tool of that name: one that the model's provider runs. */
  abstract findHosted(name: string): Tool | undefined
  /** @internal The tool that a stored call names. Throws `ToolMissing`. */
  abstract requireTool(name: string): Tool
  /** @internal All names of the tool that has this name or alias. Empty if it has only one name. */
  abstract namesOf(name: string): readonly ToolName[]
  /** @internal Throws `AgentMismatch` if a run was started by another agent. */
  abstract requireIdentity(id: string): void
}

/** The system instructions for the model: a string, or a function that is called before each turn. */
export type Instructions<TContext = AnyContext> =
  | string
  | ((runContext: RunContext<TContext>) => string | undefined | Promise<string | undefined>)

/** The type of an agent's last answer. */
export interface OutputType {
  readonly schema: StandardSchema
  /** The schema that is sent to the model. */
  readonly jsonSchema: JsonObject
}

/** The agents that a root can reach through hand-offs and as tools. */
export interface AgentGraph {
  /** Every agent, the root first. */
  readonly agents: readonly AgentDefinition[]
  /** All names of a tool, whichever agent has it: see `AgentDefinition.namesOf`. */
  namesOf(tool: string): readonly ToolName[]
  /** The reference under which journals store an agent. */
  refOf(agent: AgentDefinition): AgentRef
  /** The agent that a journal refers to. Throws `AgentMissing`. */
  require(ref: AgentRef): AgentDefinition
}

/** A name or alias of a tool, with the fingerprint of the definition under that name. */
export interface ToolName {
  readonly tool: string
  readonly definition: string
}

/** The agent behind a tool: one that is called as a tool, or that takes over. */
export type SpecialTool =
  | {
      readonly kind: 'agent'
      readonly agent: AgentDefinition
      readonly maxTurns: number | null
      toInput(released: KnownArgs): Promise<InputMessage[]>
      /** The application's data for the nested run. Left out: that of the caller. */
      readonly toContext: ((released: KnownArgs, runContext: RunContext) => Promise<JsonValue>) | undefined
      readonly output:
        | ((result: { finalOutput: string; messages: readonly Message[] }) => string | Promise<string>)
        | undefined
    }
  | { readonly kind: 'handoff'; readonly agent: AgentDefinition; readonly inputFilter: HandoffInputFilter | undefined }

/** A tool of an agent. Made by {@link tool}, `agent.asTool` and `handoff`. */
export interface Tool<TContext = AnyContext> {
  /** For the compiler alone: the context that it needs. */
  readonly '~context'?: (context: TContext) => void
  readonly name: string
  readonly aliases: readonly string[]
  /** @internal Set on an alias: the name of the original tool. */
  readonly aliasOf?: string
  /** Set if this stands for the tools of a hosted server. Calls name those tools, never this one. */
  readonly hosted?: HostedTools
  /** @internal Returns the latest definition of a tool that is defined elsewhere and may change. */
  readonly current?: () => Tool
  readonly definition: ToolDefinition
  /** The definition's fingerprint: part of every digest. */
  readonly fingerprint: string
  readonly parameters: StandardSchema
  readonly needsApproval: NeedsApproval<never>
  /** Whether the model is offered it. */
  readonly isEnabled: IsEnabled
  /** What the model reads if the body throws. `null`: the run fails. Left out: a default text. */
  readonly errorFunction?: ErrorFunction | null
  /** Decides in code what `needsApproval` holds. */
  readonly onApproval?: OnApproval
  /** The options of the request when `needsApproval` holds a call. */
  readonly review?: ReviewOptions
  /** How its calls are shown. Not part of its definition. */
  readonly display?: ToolDisplay
  /** Calls of tools that share a line run one after the other, in the order in which they start. */
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
  /** @internal The agent behind this tool, if there is one. */
  readonly special: SpecialTool | undefined
}

/** Tools that the model's provider runs. */
export interface HostedTools {
  /** The server, as it is passed to the provider. */
  readonly server: HostedMcpServer
  /** The prefix of their names: the server's label and a dot. */
  readonly prefix: string
  /** The server's tool of that name, without the prefix. Its body sends the approval to the provider, which runs the tool. */
  member(name: string): Tool | undefined
}

/**
 * What happens to a call that is about to start and was judged under another version of a policy. It is judged again, and only a stricter verdict
 * counts. A denial refuses it; on a review `'ask'` asks people and `'deny'` refuses it. `'keep'` does not judge again.
 */
export type OnPolicyChange = 'keep' | 'ask' | 'deny'

/** Returns the message that the model reads for a refusal. Anything but a string falls back to `defaultMessage`. */
export type ToolErrorFormatter<TContext = unknown> = ContextFunction<
  [
    failure: {
      kind: 'approval_rejected' | 'tool_not_found'
      toolName: string
      callId: string
      defaultMessage: string
      runContext: RunContext<TContext>
    },
  ],
  string | undefined | Promise<string | undefined>
>

/** Selects the messages that the next agent is shown. Called once, when the hand-off happens. The result is stored. */
export type HandoffInputFilter<TContext = AnyContext> = (handoff: {
  /** Copies of the conversation's messages, including this hand-off's own call and result. */
  readonly messages: readonly Message[]
  readonly runContext: RunContext<TContext>
}) => readonly Message[] | Promise<readonly Message[]>
