import type { ForeignCall } from '../../gate.ts'
import type { JsonObject, JsonValue, Message } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { SdkDefinition, SdkModelMessage } from './sdk-tool.ts'

/** Whose calls they are. */
export interface CallOwner {
  threadId: string
  principal?: string | undefined
  context?: JsonObject | undefined
}

/** How many of the last messages people are shown. */
const SHOWN_MESSAGES = 10

/** A call of the SDK, as the gate knows it. Throws `InputInvalid` if its input is no JSON object. */
export function gatedCall(
  { threadId, principal, context }: CallOwner,
  { toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown },
  definition?: SdkDefinition,
): ForeignCall {
  const args = asJson(input)
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new InputInvalid(`The input of ${toolName} must be an object: a gate cannot show anything else.`)
  }
  return {
    threadId,
    callId: toolCallId,
    toolName,
    args: args as JsonObject,
    ...(definition ? { definition } : {}),
    ...(principal === undefined ? {} : { principal }),
    ...(context === undefined ? {} : { context }),
  }
}

/** A value as it is stored and sent. What the page and the model get of a result is JSON anyway. */
export function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue
}

/** The end of the conversation, in words, for people and policies. */
export function shownMessages(messages: readonly SdkModelMessage[] = []): Message[] {
  return messages.slice(-SHOWN_MESSAGES).flatMap(({ role, content }): Message[] => {
    const text = wordsOf(content)
    if (text === '' || (role !== 'user' && role !== 'assistant' && role !== 'system')) return []
    return [{ role, content: text }]
  })
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown }) => (part.type === 'text' ? String(part.text) : ''))
    .join('')
}

interface ModelPart {
  type?: unknown
  approvalId?: unknown
  toolCallId?: unknown
}

/**
 * Whether the SDK asks about a call that it has read from the history: the last message answers its approval. Such a call was judged when the model made
 * it. If nobody knows it, the history was changed, and nobody is asked about what a browser has made up.
 */
export function isFromHistory(messages: readonly SdkModelMessage[] = [], toolCallId: string): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return false
  const all = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as ModelPart[]) : []))
  const approvals = all.filter((part) => part.type === 'tool-approval-request' && part.toolCallId === toolCallId)
  const ids = approvals.map(({ approvalId }) => approvalId)
  const answers = (last.content as ModelPart[]).filter(({ type }) => type === 'tool-approval-response')
  return answers.some(({ approvalId }) => ids.includes(approvalId))
}
