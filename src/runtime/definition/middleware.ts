import type { WaitOptions } from '../../ports/channel.ts'
import type { Decision, DecisionType } from '../../protocol/decision.ts'
import { AgentInvalid } from '../../protocol/errors/errors.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { AssistantMessage, Message, ToolResult } from '../../protocol/message.ts'
import type { Risk } from '../../protocol/request.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { HoldRequest } from './tool/tool-context.ts'

/** The argument of hooks around the model. Everything in it is a copy. */
export interface ModelHook<TContext = unknown> {
  readonly runContext: RunContext<TContext>
  readonly messages: readonly Message[]
  readonly turn: number
}

/** The argument of hooks around a tool. */
export interface ToolHook<TContext = unknown> {
  readonly runContext: RunContext<TContext>
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
}

/** The argument of `beforeTool`. */
export interface BeforeToolHook<TContext = unknown> extends ToolHook<TContext> {
  /**
   * Asks a person for a decision and waits. The wait survives restarts: the `beforeTool` hooks are then called again, and answered requests are
   * not asked again. The hook interprets the decision. Default: approve or reject.
   */
  hold(request: HoldRequest, options?: WaitOptions): Promise<Decision>
}

/** A gate: the model's answer waits until a person lets it through. Returned as `hold` by `afterModel`. */
export interface Gate {
  readonly description: string
  readonly details?: JsonObject
  /** Default: approve, reject, respond. */
  readonly allowedDecisions?: readonly Exclude<DecisionType, 'edit'>[]
  readonly risk?: Risk
  readonly timeoutSeconds?: number
}

/**
 * Custom logic around the loop, under the same guarantees.
 *
 * Before hooks run in the order of the array, after hooks in reverse. They are not called again for recorded steps. An error in a hook around the
 * model fails the turn, and nothing of it is stored. An error in a hook around a tool fails that call. An invalid return value fails the
 * run with `PolicyFailed`, and a call that has not started does not run.
 */
export interface Middleware<TContext = unknown> {
  readonly name: string
  /** May replace the messages or instructions for this one model request. The history is unchanged. */
  beforeModel?(hook: ModelHook<TContext>): undefined | ModelView | Promise<undefined | ModelView>
  /** May hold an answer without calls: the run ends only when a person has let it through. */
  afterModel?(
    hook: ModelHook<TContext> & { readonly message: AssistantMessage },
  ): undefined | { hold: Gate } | Promise<undefined | { hold: Gate }>
  /** May refuse a call right before its body runs, also after asking a person. The string is the call's result. */
  beforeTool?(hook: BeforeToolHook<TContext>): undefined | { refuse: string } | Promise<undefined | { refuse: string }>
  /** May replace the result that the model reads. The tool has already run: throwing yields an error result. */
  afterTool?(
    hook: ToolHook<TContext> & { readonly result: ToolResult },
  ): undefined | ToolResult | Promise<undefined | ToolResult>
}

/** The messages and instructions that the model is called with. */
export interface ModelView {
  messages?: readonly Message[]
  instructions?: string
}

const HOOKS = new Set(['name', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool'])

/** Checks middleware when the agent is built: a misspelt hook would never run. */
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
