import type { ToolCall } from '@langchain/core/messages/tool'
import type { AIMessage, BaseMessage, Runtime } from 'langchain'
import type { ForeignCall, HostReview } from '../../gate.ts'
import type { JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { HoldpointMiddlewareOptions, InterruptRule } from './options.ts'
import { loadPeers } from './peers.ts'

/** What the hooks know of a run. */
export interface Hooked {
  readonly options: HoldpointMiddlewareOptions
  readonly state: { messages: BaseMessage[] }
  readonly runtime: Runtime<unknown>
}

/** The last message of the model, wherever it is in the conversation. */
export function lastAnswer(messages: readonly BaseMessage[]): AIMessage | undefined {
  return messages.findLast((message) => message.getType() === 'ai') as AIMessage | undefined
}

/** The calls of a message that have no result yet, without those that the gate has nothing to do with. */
export function openCalls({ options, state }: Hooked, answer: AIMessage): ToolCall[] {
  const after = state.messages.slice(state.messages.lastIndexOf(answer) + 1)
  const answered = new Set(
    after.flatMap((message) =>
      message.getType() === 'tool' ? [(message as unknown as { tool_call_id: string }).tool_call_id] : [],
    ),
  )
  return (answer.tool_calls ?? []).filter(
    ({ id, name }) => !answered.has(id ?? '') && !(options.ungated ?? []).includes(name),
  )
}

/**
 * A tool call as the gate knows it. The id of the model's message is part of the call's id: models use ids of calls again (`call_0` in each message), and the
 * message keeps its id in every copy of the conversation.
 */
export async function foreignCall(hooked: Hooked, toolCall: ToolCall): Promise<ForeignCall> {
  const { options, state, runtime } = hooked
  const { id, name, args } = toolCall
  if (id === undefined) throw new InputInvalid(`The call of ${name} has no id.`)
  const answer = state.messages.findLast(
    (message) => message.getType() === 'ai' && (message as AIMessage).tool_calls?.some((call) => call.id === id),
  )
  const [principal, context, definition] = await Promise.all([
    options.principal?.(runtime),
    options.context?.(runtime),
    definitionOf(options, name),
  ])
  return {
    threadId: await threadIdOf(hooked),
    callId: answer?.id === undefined ? id : `${answer.id}/${id}`,
    toolName: name,
    args: args as JsonObject,
    ...(principal === undefined ? {} : { principal }),
    ...(context === undefined ? {} : { context }),
    ...(definition === undefined ? {} : { definition }),
  }
}

/** The conversation of a run. */
export async function threadIdOf({ options, runtime }: Hooked): Promise<string> {
  const threadId = options.threadId ? await options.threadId(runtime) : runtime.configurable?.thread_id
  if (typeof threadId === 'string' && threadId !== '') return threadId
  throw new InputInvalid(
    'holdpointMiddleware needs a conversation: pass configurable.thread_id, or its option threadId.',
  )
}

async function definitionOf(
  { tools = [] }: HoldpointMiddlewareOptions,
  name: string,
): Promise<ForeignCall['definition']> {
  const tool = tools.find((one) => one.name === name)
  if (!tool) return undefined
  const { convertToOpenAITool } = await loadPeers()
  const { description = '', parameters = {} } = convertToOpenAITool(tool as never).function
  return { name, description, parameters: JSON.parse(JSON.stringify(parameters)) as JsonObject }
}

/** What `interruptOn` says of a call. A condition that fails or gives no boolean counts as true. */
export async function reviewOf(
  { options, state, runtime }: Hooked,
  toolCall: ToolCall,
): Promise<HostReview | undefined> {
  const { interruptOn = {}, descriptionPrefix = 'Tool execution requires approval' } = options
  const given = Object.hasOwn(interruptOn, toolCall.name) ? interruptOn[toolCall.name] : undefined
  if (given === undefined || given === false) return undefined
  const rule: InterruptRule = given === true ? {} : given
  const { allowedDecisions, argsSchema, description, when } = rule
  if (when && !(await applies(() => when({ toolCall, tool: undefined, state, runtime })))) return undefined
  const text = typeof description === 'function' ? await description(toolCall, state, runtime) : description
  const generated = `${descriptionPrefix}\n\nTool: ${toolCall.name}\nArgs: ${JSON.stringify(toolCall.args, null, 2)}`
  return {
    description: text ?? generated,
    ...(allowedDecisions ? { allowedDecisions } : {}),
    ...(argsSchema ? { argsSchema: argsSchema as JsonObject } : {}),
  }
}

async function applies(when: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return (await when()) !== false
  } catch {
    return true
  }
}
