import { z } from 'zod'
import { lazy } from './checks/lazy.ts'
import { cloneJson, isJson, type JsonObject, type JsonValue } from './json/json.ts'

/** Any plain JSON value. */
export const jsonValue = lazy((): z.ZodType<JsonValue> => z.custom<JsonValue>(isJson, 'must be plain JSON'))
/** A JSON object. */
export const jsonObject = lazy(
  (): z.ZodType<JsonObject> =>
    z.custom<JsonObject>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
      'must be a JSON object',
    ),
)

/** A reference to large content that is stored once. */
const blobRef = lazy(() => z.object({ sha256: z.string(), bytes: z.number(), mediaType: z.string() }))
/** A reference to large content that is stored once. */
export type BlobRef = z.infer<ReturnType<typeof blobRef>>

const part = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('json'), value: jsonValue() }),
    z.object({
      type: z.literal('file'),
      mediaType: z.string(),
      name: z.string().exactOptional(),
      data: z.union([z.string(), blobRef()]),
    }),
  ]),
)
/** A piece of a message. */
export type Part = z.infer<ReturnType<typeof part>>

/** The content of a message: a string, or parts. */
export const content = lazy(() => z.union([z.string(), z.array(part())]))
/** An array of parts. */
export const parts = lazy(() => z.array(part()))
/** The content of a message: a string, or parts. */
export type Content = z.infer<ReturnType<typeof content>>

/** `argsText` holds the received arguments if they were not an object. */
const toolCall = lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    args: jsonObject(),
    argsText: z.string().exactOptional(),
    providerData: jsonObject().exactOptional(),
  }),
)
/** A call that a model made. */
export type ToolCall = z.infer<ReturnType<typeof toolCall>>

/** A message from the model. */
export const assistantMessage = lazy(() =>
  z.object({
    role: z.literal('assistant'),
    content: content(),
    reasoning: z.array(part()).exactOptional(),
    toolCalls: z.array(toolCall()).exactOptional(),
    stopReason: z.enum(['stop', 'toolCalls', 'error', 'aborted']).exactOptional(),
    providerData: jsonObject().exactOptional(),
  }),
)
/** A message from the model. */
export type AssistantMessage = z.infer<ReturnType<typeof assistantMessage>>

/** The result of a tool call, as the model reads it. */
export const toolResult = lazy(() =>
  z.object({
    content: content(),
    data: jsonValue().exactOptional(),
    isError: z.boolean().exactOptional(),
  }),
)
/** The result of a tool call, as the model reads it. */
export type ToolResult = z.infer<ReturnType<typeof toolResult>>

/** A message that the application may add to a conversation. */
export const inputMessage = lazy(() => z.object({ role: z.enum(['system', 'user']), content: content() }))
/** A message that the application may add to a conversation. */
export type InputMessage = z.infer<ReturnType<typeof inputMessage>>

/** One message of a conversation. */
export const message = lazy(() =>
  z.discriminatedUnion('role', [
    inputMessage(),
    assistantMessage(),
    toolResult().extend({ role: z.literal('tool'), toolCallId: z.string(), toolName: z.string() }),
  ]),
)
/** One message of a conversation. */
export type Message =
  | InputMessage
  | AssistantMessage
  | ({ role: 'tool'; toolCallId: string; toolName: string } & ToolResult)

/** The text of a message: its text parts, joined. */
export function textOf(value: Content): string {
  if (typeof value === 'string') return value
  return value.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
}

/** A deep copy of messages. */
export function cloneMessages(messages: readonly Message[]): Message[] {
  return cloneJson(messages as unknown as JsonValue) as unknown as Message[]
}
