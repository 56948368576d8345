import type { ToolDefinition } from '../../core/digest.ts'
import type { BoundPolicy } from '../../policy/compose.ts'
import type { ReviewOptions } from '../../policy/policy.ts'
import type { HostedMcpServer, Model } from '../../ports/model.ts'
import type { AgentLimits, Limits } from '../../protocol/checks/limits.ts'
import type { StandardSchema } from '../../protocol/checks/standard-schema.ts'
import type { AgentRef } from '../../protocol/entries/entry.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { InputMessage, Message } from '../../protocol/message.ts'
import type { Risk } from '../../protocol/request.ts'
import type { AnyContext, ContextFunction, RunContext } from '../../protocol/run-context.ts'
import type { FactsContext, NeedsApproval, OnApproval, PreviewCheck, UnknownOutcomePolicy } from './approval.ts'
import type { KnownArgs } from './args.ts'
import type { InputGuardrail, OutputGuardrail, ToolInputGuardrail, ToolOutputGuardrail } from './guardrails.ts'
import type { Middleware } from './middleware.ts'
import type { ToolContext } from './tool-context.ts'

/**
 * An agent as the engine sees it: a stateless definition, shared by any number of threads. `Agent` is the one that developers make.
 *
 * Agents have tools, and a tool may be an agent: the two types name one another, so they share this file.
 */
export abstract class AgentDefinition<TContext = AnyContext, TOutput = unknown> {
  /** For the compiler alone: the context that it needs, and what its runs yield. */
  declare readonly '~types'?: { readonly context: (context: TContext) => void; readonly output: TOutput }
  /** Its identity as a root: its own id, else its name. */
  abstract readonly id: string
  /** @internal The id that it was given. */
  abstract readonly ownId: string | undefined
  abstract readonly name: string
  abstract readonly version: string | undefined
  abstract readonly instructions: Instructions | undefined
  abstract readonly model: Model
  /** @internal What its last answer has to be, if that is more than a string. */
  abstract readonly outputType: OutputType | undefined
  abstract readonly tools: readonly Tool[]
  /** @internal The servers whose tools the model's provider runs. */
  abstract readonly hosted: readonly HostedTools[]
  /** Its tools and hand-offs: all that its model may call. */
  abstract readonly toolset: readonly Tool[]
  abstract readonly handoffDescription: string | undefined
  /** @internal How much one answer, and what comes of it, may be. */
  abstract readonly limits: Limits<AgentLimits>
  abstract readonly onPolicyChange: OnPolicyChange
  abstract readonly middleware: readonly Middleware[]
  abstract readonly inputGuardrails: readonly InputGuardrail[]
  abstract readonly outputGuardrails: readonly OutputGuardrail[]
  abstract readonly toolErrorFormatter: ToolErrorFormatter | undefined
  /** @internal The agents that can be reached from it, with their identities. */
  abstract readonly graph: AgentGraph
  /** @internal Its policies, bound to every tool that can be reached from it. */
  abstract readonly policies: readonly BoundPolicy[]
  /** @internal Whether its `handoffs` function has not been called yet. */
  abstract readonly isUnasked: boolean
  /** @internal Resolves the `handoffs` of every agent that can be reached and binds their policies. Throws what is wrong with the graph. */
  abstract complete(): void
  /** The tool of that name, as it is now. */
  abstract findTool(name: string): Tool | undefined
  /** @internal The tool of that name that the model's provider runs. */
  abstract findHosted(name: string): Tool | undefined
  /** @internal The tool that a stored call names. Throws `ToolMissing`. */
  abstract requireTool(name: string): Tool
  /** @internal All names of a tool that has several, by any of them. */
  abstract namesOf(name: string): readonly ToolName[]
  /** @internal Throws `AgentMismatch` if a run was started by another agent. */
  abstract requireIdentity(id: string): void
}

/** What the model is told it is there for: a string, or a function that is called before each turn. */
export type Instructions<TContext = AnyContext> =
  | string
  | ((runContext: RunContext<TContext>) => string | undefined | Promise<string | undefined>)

/** What the last answer of an agent has to be. */
export interface OutputType {
  readonly schema: StandardSchema
  /** What the model is told. */
  readonly jsonSchema: JsonObject
}

/** The agents that can be reached from a root, through hand-offs and as tools. */
export interface AgentGraph {
  /** Every agent, the root first. */
  readonly agents: readonly AgentDefinition[]
  /** All names of a tool that has several, by any of them, whichever agent has it. */
  namesOf(tool: string): readonly ToolName[]
  /** The reference under which journals store an agent. */
  refOf(agent: AgentDefinition): AgentRef
  /** The agent that a journal refers to. Throws `AgentMissing`. */
  require(ref: AgentRef): AgentDefinition
}

/** A name of a tool, with the fingerprint that its definition has under it. */
export interface ToolName {
  readonly tool: string
  readonly definition: string
}

/** A tool that is not a function but another agent. */
export type SpecialTool =
  | {
      readonly kind: 'agent'
      readonly agent: AgentDefinition
      readonly maxTurns: number | null
      toInput(released: KnownArgs): Promise<InputMessage[]>
      readonly output:
        | ((result: { finalOutput: string; messages: readonly Message[] }) => string | Promise<string>)
        | undefined
    }
  | { readonly kind: 'handoff'; readonly agent: AgentDefinition; readonly inputFilter: HandoffInputFilter | undefined }

/** A tool that agents can be given. Made by {@link tool}, `agent.asTool` and `handoff`. */
export interface Tool<TContext = AnyContext> {
  /** For the compiler alone: the context that it needs. */
  readonly '~context'?: (context: TContext) => void
  readonly name: string
  readonly aliases: readonly string[]
  /** @internal Under another name: the tool that it is an alias of. */
  readonly aliasOf?: string
  /** Tools of a server that the model's provider runs: it is not called itself, they are. */
  readonly hosted?: HostedTools
  /** @internal The tool as it is now, where somebody else defines it and may change it. */
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
  /** @internal The agent behind it, if it is one. */
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

/**
 * A call that was judged under another version of a policy is judged once more when it is about to start, and only a stricter verdict counts. A
 * denial refuses it; for a review `'ask'` asks people and `'deny'` refuses it. `'keep'` does not judge again.
 */
export type OnPolicyChange = 'keep' | 'ask' | 'deny'

/** Words a refusal for the model. Returning anything but a text falls back to `defaultMessage`. */
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

/** Chooses what the next agent is shown of the conversation. Called once, when the hand-off happens; what it returns is stored. */
export type HandoffInputFilter<TContext = AnyContext> = (handoff: {
  /** The conversation, this hand-off's own call and result included. Copies. */
  readonly messages: readonly Message[]
  readonly runContext: RunContext<TContext>
}) => readonly Message[] | Promise<readonly Message[]>
