import type { WaitOptions } from '../../ports/channel.ts'
import type { Decision, DecisionType } from '../../protocol/decision.ts'
import { AgentInvalid } from '../../protocol/errors/errors.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { AssistantMessage, Message, ToolResult } from '../../protocol/message.ts'
import type { Risk } from '../../protocol/request.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { HoldRequest } from './tool-context.ts'

/** What a hook around the model is told. Everything in it is a copy. */
export interface ModelHook<TContext = unknown> {
  readonly runContext: RunContext<TContext>
  readonly messages: readonly Message[]
  readonly turn: number
}

/** What a hook around a tool is told. */
export interface ToolHook<TContext = unknown> {
  readonly runContext: RunContext<TContext>
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
}

/** What a hook before a tool is told, and what it can do. */
export interface BeforeToolHook<TContext = unknown> extends ToolHook<TContext> {
  /**
   * Asks a person for a decision and waits, also over restarts: then the hooks before the tool are called again, and what was answered is not asked again.
   * What the decision means is the hook's to say. Default: approve or reject.
   */
  hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>
}

/** A gate: the answer waits until a person lets it through. Made by `hold` in `afterModel`. */
export interface Gate {
  readonly description: string
  readonly details?: JsonObject
  /** Default: approve, reject, respond. */
  readonly allowedDecisions?: readonly Exclude<DecisionType, 'edit'>[]
  readonly risk?: Risk
  readonly timeoutSeconds?: number
}

/**
 * Custom logic around the loop, under the same guarantees. Hooks run in the order of the list, the after ones in reverse. They are not asked
 * again about what is recorded. What those around the model throw fails the turn, and nothing of it is stored; what those around a tool throw
 * is that call's failure. What a hook returns and nobody knows fails the run with `PolicyFailed`; the call does not run.
 */
export interface Middleware<TContext = unknown> {
  readonly name: string
  /** May give the model other messages or instructions for this one request; the history stays as it is. */
  beforeModel?(hook: ModelHook<TContext>): undefined | ModelView | Promise<undefined | ModelView>
  /** May put a gate before an answer without calls: the run ends only when a person has let it through. */
  afterModel?(
    hook: ModelHook<TContext> & { readonly message: AssistantMessage },
  ): undefined | { hold: Gate } | Promise<undefined | { hold: Gate }>
  /** May refuse a call right before its body would run, also after asking a person; the text is its result. */
  beforeTool?(hook: BeforeToolHook<TContext>): undefined | { refuse: string } | Promise<undefined | { refuse: string }>
  /** May replace what the model reads of a result. The effect has happened: throwing makes it an error result. */
  afterTool?(
    hook: ToolHook<TContext> & { readonly result: ToolResult },
  ): undefined | ToolResult | Promise<undefined | ToolResult>
}

/** What the model gets to see of a conversation. */
export interface ModelView {
  messages?: readonly Message[]
  instructions?: string
}

const HOOKS = new Set(['name', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool'])

/** Checks middleware when the agent is built: a misspelt hook is one that never runs. */
export function checkMiddleware(agent: string, list: readonly Middleware[]): readonly Middleware[] {
  for (const one of list) {
    if (typeof one?.name !== 'string' || one.name === '')
      throw new AgentInvalid(`Agent "${agent}" has middleware without a name.`)
    const unknown = Object.keys(one).find((key) => !HOOKS.has(key))
    if (unknown !== undefined) throw new AgentInvalid(`Middleware "${one.name}" has no hook "${unknown}".`)
    const twice = list.filter(({ name }) => name === one.name).length > 1
    if (twice) throw new AgentInvalid(`Agent "${agent}" has two middlewares named "${one.name}".`)
  }
  return Object.freeze([...list])
}
