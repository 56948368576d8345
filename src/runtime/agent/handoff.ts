import { type NoArgs, noArgs } from '../../protocol/agent-args.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { OutputOf, ParametersSchema } from '../../protocol/checks/standard-schema.ts'
import { AgentInvalid, ToolInvalid } from '../../protocol/errors/errors.ts'
import type { Message } from '../../protocol/message.ts'
import type { AnyContext } from '../../protocol/run-context.ts'
import type { IsEnabled } from '../definition/behavior.ts'
import { AgentDefinition, type HandoffInputFilter, type Tool } from '../definition/definition.ts'
import type { NeedsApproval } from '../definition/tool/approval.ts'
import { tool } from '../definition/tool/tool.ts'
import type { ToolContext } from '../definition/tool/tool-context.ts'

/** Options of a hand-off. */
export interface HandoffOptions<TSchema extends ParametersSchema = NoArgs, TContext = unknown> {
  /** Default `transfer_to_<name>`. */
  toolName?: string
  /** The tool's description for the model. */
  toolDescription?: string
  /** The arguments that the model passes along. Default: none. */
  parameters?: TSchema
  /** Whether a person must approve it first. Default `false`. */
  needsApproval?: NeedsApproval<OutputOf<TSchema>, TContext>
  /** Whether the model is offered it. A function is asked once before each model call. Default `true`. */
  isEnabled?: IsEnabled<TContext>
  /** Called before the hand-off. If it throws, the hand-off does not happen and the model reads the error. */
  onHandoff?(args: OutputOf<TSchema>, ctx: ToolContext<TContext>): unknown
  /** Whether `onHandoff` may be called again after a crash. Otherwise a person is asked. */
  idempotent?: boolean
  inputFilter?: HandoffInputFilter<TContext>
}

const KNOWN = [
  'toolName',
  'toolDescription',
  'parameters',
  'needsApproval',
  'isEnabled',
  'onHandoff',
  'idempotent',
  'inputFilter',
] as const

/** A hand-off to an agent, for `handoffs`. It is a call like any other: judged, held, decided and recorded. */
export function handoff<TSchema extends ParametersSchema = NoArgs, TContext = AnyContext>(
  agent: AgentDefinition<TContext>,
  options: HandoffOptions<TSchema, NoInfer<TContext>> = {},
): Tool<TContext> {
  if (!(agent instanceof AgentDefinition)) throw new AgentInvalid('handoff() needs an agent.')
  requireKnown('handoff()', options, KNOWN)
  const { onHandoff, inputFilter } = options
  const name = options.toolName ?? `transfer_to_${toToolName(agent.name)}`
  if (inputFilter !== undefined && typeof inputFilter !== 'function')
    throw new ToolInvalid(name, 'inputFilter must be a function')
  const about = agent.handoffDescription ? ` ${agent.handoffDescription}` : ''
  const made = tool({
    name,
    description: options.toolDescription ?? `Hand the conversation over to the ${agent.name} agent.${about}`,
    parameters: (options.parameters ?? noArgs()) as TSchema,
    ...(options.needsApproval === undefined ? {} : { needsApproval: options.needsApproval }),
    ...(options.isEnabled === undefined ? {} : { isEnabled: options.isEnabled }),
    idempotent: options.idempotent ?? onHandoff === undefined,
    async execute(args, ctx: ToolContext<TContext>) {
      await onHandoff?.(args, ctx)
      return JSON.stringify({ assistant: agent.name })
    },
  })
  return Object.freeze({
    ...made,
    special: { kind: 'handoff' as const, agent, inputFilter: inputFilter as HandoffInputFilter | undefined },
  })
}

/** A filter that shows the next agent the conversation without tool calls and results. */
export function withoutToolCalls({ messages }: { readonly messages: readonly Message[] }): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role === 'tool') return []
    if (message.role !== 'assistant' || !message.toolCalls) return [message]
    const { toolCalls: _toolCalls, reasoning: _reasoning, providerData: _providerData, ...said } = message
    return said.content === '' || said.content.length === 0 ? [] : [{ ...said, stopReason: 'stop' }]
  })
}

/** Converts an agent's name to a valid tool name. */
export function toToolName(name: string): string {
  const clean = name.trim().replace(/[^A-Za-z0-9_-]+/g, '_')
  if (clean === '' || clean === '_')
    throw new AgentInvalid(
      `The name of agent "${name}" has no Latin letters or digits, which a tool name needs: pass name to asTool(), or toolName to handoff().`,
    )
  return clean.slice(0, 100)
}
