import type {
  ModelApprovalRequest,
  ModelPart,
  ModelRequest,
  ModelResponse,
  ModelToolCall,
} from '../../../ports/model.ts'
import { toApprovalCall } from '../../../ports/provider-approval.ts'
import { keyProblem, tellReturned } from '../../../protocol/checks/returned.ts'
import type { Usage } from '../../../protocol/entries/entry.ts'
import {
  HoldpointError,
  LimitExceeded,
  ModelFailed,
  ModelResponseInvalid,
  messageOf,
} from '../../../protocol/errors/errors.ts'
import { cloneJson, jsonEqual, jsonProblem, parseArgsText, wellFormed } from '../../../protocol/json/json.ts'
import { type AssistantMessage, content, type Part, parts, type ToolCall } from '../../../protocol/message.ts'
import type { IdSource } from '../../../protocol/uuid.ts'
import type { AgentDefinition } from '../../definition/definition.ts'
import { argsSizeProblem } from '../../definition/size-limits.ts'
import { type PartListener, tellPart, tellWhole } from './live-parts.ts'

/** The stored form of a model's answer. */
export interface ModelAnswer {
  message: AssistantMessage
  /** Absent if the model reported none; it then counts as one request. */
  usage?: Usage
  /** Why the arguments of a call cannot be used, by the call's position. */
  unparsable: Map<number, string>
}

/**
 * Calls a model and waits for its whole answer. `listen` gets the parts as they arrive. Errors of the model become `ModelFailed`.
 */
export async function askModel(
  { model, limits }: Pick<AgentDefinition, 'model' | 'limits'>,
  request: ModelRequest,
  listen?: PartListener,
): Promise<ModelResponse> {
  try {
    const answer = model.respond(request)
    if (Symbol.asyncIterator in answer) return await collect(answer, { signal: request.signal, listen, limits })
    const whole = await answer
    if (listen && !request.signal.aborted) tellWhole(whole, listen)
    return whole
  } catch (error) {
    throw HoldpointError.isInstance(error) ? error : new ModelFailed(error)
  }
}

async function collect(
  parts: AsyncIterable<ModelPart>,
  {
    signal,
    listen,
    limits,
  }: { signal: AbortSignal; listen: PartListener | undefined } & Pick<AgentDefinition, 'limits'>,
): Promise<ModelResponse> {
  const toolCalls: ModelToolCall[] = []
  const pieces: Part[] = []
  const approvalRequests: ModelApprovalRequest[] = []
  let text = ''
  let reasoning = ''
  let finished: Extract<ModelPart, { type: 'finish' }> | undefined
  for await (const part of parts) {
    // Leaving the loop closes the model's connection.
    signal.throwIfAborted()
    if (listen) tellPart(part, listen)
    switch (part.type) {
      case 'text':
        text += part.text
        break
      case 'reasoning':
        reasoning += part.text
        break
      case 'file':
        if (text !== '') pieces.push({ type: 'text', text })
        text = ''
        pieces.push(part)
        break
      case 'tool-call':
        toolCalls.push(part.call)
        // Check here too: the stream may never end.
        requireCallCount(toolCalls.length, limits)
        break
      case 'approval-request':
        approvalRequests.push(part.request)
        break
      case 'finish':
        finished = part
        break
      default:
        part satisfies never
        throw new ModelResponseInvalid(`its stream has a part of unknown type: ${tellReturned(part)}`)
    }
  }
  if (!finished) throw new ModelResponseInvalid('its stream ended without a finish part')
  if (pieces.length > 0 && text !== '') pieces.push({ type: 'text', text })
  return {
    content: pieces.length > 0 ? pieces : text,
    toolCalls,
    ...(approvalRequests.length === 0 ? {} : { approvalRequests }),
    ...(reasoning === '' ? {} : { reasoning: [{ type: 'text', text: reasoning }] }),
    ...(finished.usage ? { usage: finished.usage } : {}),
    ...(finished.providerData ? { providerData: finished.providerData } : {}),
  }
}

/**
 * Checks an answer before anything of it is stored. Identical calls with one id count once; different calls with one id refuse the answer. A call
 * without an id gets one.
 */
export function toAnswer(
  response: ModelResponse,
  newId: IdSource,
  agent: Pick<AgentDefinition, 'limits'>,
): ModelAnswer {
  if (typeof response !== 'object' || response === null) throw new ModelResponseInvalid('it is not an object')
  refuseUnknown('it', response, RESPONSE)
  if (!Array.isArray(response.toolCalls ?? [])) throw new ModelResponseInvalid('its toolCalls are not an array')
  if (!Array.isArray(response.approvalRequests ?? []))
    throw new ModelResponseInvalid('its approvalRequests are not an array')
  const parsed = content().safeParse(response.content ?? '')
  if (!parsed.success) throw new ModelResponseInvalid('its content is neither a string nor an array of parts')
  const reasoning = parts().safeParse(response.reasoning ?? [])
  if (!reasoning.success) throw new ModelResponseInvalid('its reasoning is not an array of parts')
  const made = [...(response.toolCalls ?? []), ...(response.approvalRequests ?? []).map(toApprovalCall)]
  requireCallCount(made.length, agent.limits)
  const unparsable = new Map<number, string>()
  const toolCalls: ToolCall[] = []
  const byId = new Map<string, ToolCall>()
  for (const one of made) {
    const { call, problem } = toToolCall(one, newId, agent)
    const twin = byId.get(call.id)
    if (twin) {
      if (twin.name === call.name && twin.argsText === call.argsText && jsonEqual(twin.args, call.args)) continue
      throw new ModelResponseInvalid(`two different calls share the id "${call.id}"`)
    }
    if (problem !== undefined) unparsable.set(toolCalls.length, problem)
    toolCalls.push(call)
    byId.set(call.id, call)
  }
  const message: AssistantMessage = {
    role: 'assistant',
    content: typeof parsed.data === 'string' ? wellFormed(parsed.data) : plain(parsed.data, 'content'),
    stopReason: toolCalls.length > 0 ? 'toolCalls' : 'stop',
  }
  if (response.reasoning) message.reasoning = plain(reasoning.data, 'reasoning')
  // A copy: the array that grew has room for sixteen more, and the conversation keeps it.
  if (toolCalls.length > 0) message.toolCalls = [...toolCalls]
  if (response.providerData) message.providerData = plain(response.providerData, 'providerData')
  return { message, ...(response.usage ? { usage: toUsage(response.usage) } : {}), unparsable }
}

const RESPONSE = ['content', 'reasoning', 'toolCalls', 'approvalRequests', 'usage', 'providerData']
const CALL = ['id', 'name', 'args', 'argsText', 'providerData']

/** A field that nobody reads, `tool_calls` say, could be a call that is lost. */
function refuseUnknown(what: string, value: object, known: readonly string[]): void {
  const unknown = keyProblem(value, known)
  if (unknown) throw new ModelResponseInvalid(`${what} has a field that is not known: ${unknown}`)
}

function toToolCall(
  made: ModelToolCall,
  newId: IdSource,
  agent: Pick<AgentDefinition, 'limits'>,
): { call: ToolCall; problem?: string } {
  if (typeof made?.name !== 'string') throw new ModelResponseInvalid('a call has no tool name')
  refuseUnknown(`its call of ${made.name}`, made, CALL)
  const id = made.id ? wellFormed(String(made.id)) : `call_${newId()}`
  const base = {
    id,
    name: wellFormed(made.name),
    ...(made.providerData ? { providerData: plain(made.providerData, 'providerData') } : {}),
  }
  if ('argsText' in made) {
    const text = String(made.argsText)
    const size = argsSizeProblem(agent, text)
    if (size) return { call: { ...base, args: {}, argsText: beginning(text) }, problem: size }
    const read = parseArgsText(text)
    if (read.ok) return { call: { ...base, args: read.args } }
    return { call: { ...base, args: {}, argsText: wellFormed(text) }, problem: read.problem }
  }
  const { args } = made
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { call: { ...base, args: {}, argsText: String(args) }, problem: 'the arguments are not a JSON object' }
  }
  const problem = jsonProblem(args, 'args')
  if (problem) return { call: { ...base, args: {}, argsText: safeText(args) }, problem }
  const size = argsSizeProblem(agent, args)
  if (size) return { call: { ...base, args: {}, argsText: beginning(safeText(args)) }, problem: size }
  return { call: { ...base, args: cloneJson(args) } }
}

function requireCallCount(found: number, { callsPerAnswer: limit }: AgentDefinition['limits']): void {
  if (found > limit) throw new LimitExceeded('callsPerAnswer', { limit, found })
}

/** The beginning of arguments that are too long to be stored. */
function beginning(text: string): string {
  return `${wellFormed(text.slice(0, 1000))}…`
}

/** Copies data from a model as plain JSON. */
function plain<T>(value: T, what: string): T {
  try {
    const mend = (_key: string, item: unknown) => (typeof item === 'string' ? wellFormed(item) : item)
    return JSON.parse(JSON.stringify(value), mend) as T
  } catch (error) {
    throw new ModelResponseInvalid(`its ${what} is not plain JSON: ${messageOf(error)}`)
  }
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return String(value)
  }
}

/** The usage of an answer, even of one that cannot be used. `undefined` if the model reported none, or invalid numbers. */
export function usageOf(response: ModelResponse | null | undefined): Usage | undefined {
  try {
    return response?.usage ? toUsage(response.usage) : undefined
  } catch {
    return undefined
  }
}

function toUsage(usage: Partial<Usage>): Usage {
  const wrong = Object.values(usage).find((count) => count !== undefined && !Number.isFinite(count))
  if (wrong !== undefined) throw new ModelResponseInvalid(`its usage has the invalid count ${JSON.stringify(wrong)}`)
  const inputTokens = usage.inputTokens ?? 0
  const outputTokens = usage.outputTokens ?? 0
  return {
    requests: usage.requests ?? 1,
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
  }
}
