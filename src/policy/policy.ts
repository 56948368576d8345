import type { DecisionType } from '../protocol/decision.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import type { AssistantMessage, Message } from '../protocol/message.ts'
import type { OnTimeout, Risk } from '../protocol/request.ts'
import type { ContextFunction, RunContext } from '../protocol/run-context.ts'

/** A call to be judged. Everything in it is a copy. */
export interface PolicyCall<TContext = unknown> {
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
  /** The id of the agent that makes it. */
  readonly agent: string
  readonly runContext: RunContext<TContext>
  readonly threadId: string
  /** The conversation before the call. */
  readonly messages: readonly Message[]
  /** The model's answer that contains the call, with all calls of that answer as the model sent them. */
  readonly message: AssistantMessage
}

/** How a person is asked about a call. */
export interface ReviewOptions {
  /** Which decisions are accepted; at least one. Default: all. */
  allowedDecisions?: readonly DecisionType[]
  /** Shown with the call instead of the generated description. */
  description?: string
  /** JSON Schema that edited arguments must also fit. */
  argsSchema?: JsonObject
  timeoutSeconds?: number
  /** What happens when nobody answers in time. Default `'reject'`. */
  onTimeout?: OnTimeout
  /** How long a person's approval counts, from when it takes effect. A call that was not started by then is asked about again. Default: for ever. */
  decisionValidSeconds?: number
  /** Who may decide: `user:ID` or `group:NAME`; a bare name is a user. Default: anybody. If several policies name reviewers, one of each must decide. */
  reviewers?: readonly string[]
  /**
   * Through which doors it may be decided, such as `['inbox']`: only by a person who signed in at a gateway with a credential of their own. Default: any.
   * Doors are `inbox`, `link` (signed in by a one-time link), `api`, `cli`, `hil`, and names of your own. If several policies name doors, all must accept it.
   */
  via?: readonly string[]
  risk?: Risk
}

/** A policy's verdict on a call. */
export type PolicyVerdict =
  | { verdict: 'allow' }
  | { verdict: 'deny'; reason: string }
  | ({ verdict: 'review' } & ReviewOptions)

/** Judges calls once it is bound to an agent's tools. */
export type Judge<TContext = unknown> = ContextFunction<
  [call: PolicyCall<TContext>],
  PolicyVerdict | Promise<PolicyVerdict>
>

/** What a policy knows of a tool when it is bound. */
export interface ToolFacts {
  readonly name: string
  /** Its other names. A rule that uses one of them applies to this tool. */
  readonly aliases?: readonly string[]
  readonly risk?: Risk | undefined
  /** Stands for all tools whose names begin with this prefix. They are unknown until they are called. */
  readonly prefix?: string
}

/** Decides which calls need a person. If there are several policies, the most restrictive verdict wins. */
export interface Policy<TContext = unknown> {
  readonly name: string
  /** Stored with every verdict. */
  readonly version: string
  /** Its verdicts are recorded but not enforced. */
  readonly shadow: boolean
  /** Checks itself against the tools that the agent can reach, and resolves its rules. Throws `PolicyInvalid`. */
  bind(tools: readonly ToolFacts[]): Judge<TContext>
}
