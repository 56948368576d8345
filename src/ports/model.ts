import type { Usage } from '../protocol/entry.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Content, Message, Part } from '../protocol/message.ts'

/** A language model: one request in, a response or a stream of its parts out. */
export interface Model {
  readonly name?: string
  respond(request: ModelRequest): Promise<ModelResponse> | AsyncIterable<ModelPart>
}

/** What a model is asked. */
export interface ModelRequest {
  instructions?: string
  messages: readonly Message[]
  tools: readonly { name: string; description: string; parameters: JsonObject }[]
  signal: AbortSignal
}

/** A call as a model makes it: with arguments, or with the text it sent for them. */
export type ModelToolCall = { id?: string; name: string; providerData?: JsonObject } & (
  | { args: JsonObject }
  | { argsText: string }
)

/** What a model answered. */
export interface ModelResponse {
  content?: Content
  reasoning?: Part[]
  toolCalls?: ModelToolCall[]
  usage?: Partial<Usage>
  providerData?: JsonObject
}

/** A piece of an answer, live only and never stored. The last one is `finish`. */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Extract<Part, { type: 'file' }>
  | { type: 'tool-call'; call: ModelToolCall }
  | { type: 'finish'; usage?: Partial<Usage>; providerData?: JsonObject }
