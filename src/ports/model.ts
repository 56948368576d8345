import type { Usage } from '../protocol/entries/entry.ts'
import type { JsonObject } from '../protocol/json/json.ts'
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
  /** Servers whose tools the model's provider runs itself. Their credentials are in here and nowhere else. */
  hostedTools?: readonly HostedMcpServer[]
  /** The JSON Schema of the last answer, for agents with an `outputType`: the answer is to be JSON that fits. */
  outputSchema?: JsonObject
  signal: AbortSignal
}

/** A call as a model makes it: with arguments, or with the text it sent for them. */
export type ModelToolCall = { id?: string; name: string; providerData?: JsonObject } & (
  | { args: JsonObject }
  | { argsText: string }
)

/** An MCP server that the model's provider is to use: as it was configured, for an adapter to pass on. */
export interface HostedMcpServer {
  readonly type: 'mcp'
  readonly serverLabel: string
  readonly serverUrl?: string
  readonly connectorId?: string
  readonly serverDescription?: string
  readonly authorization?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowedTools?: readonly string[]
  /** When the provider is to ask first. */
  readonly requireApproval:
    | 'always'
    | 'never'
    | { readonly always?: { toolNames: readonly string[] }; readonly never?: { toolNames: readonly string[] } }
}

/**
 * A provider asks before it runs a tool of a hosted MCP server. It is stored and decided like a call; the answer is the call's result in the
 * next request (`toApprovalResponse`).
 */
export interface ModelApprovalRequest {
  /** The provider's id of the request. */
  id: string
  serverLabel: string
  /** The tool, as the server calls it. */
  name: string
  /** As an object, or as the text that was received. */
  arguments: JsonObject | string
  providerData?: JsonObject
}

/** What a model answered. */
export interface ModelResponse {
  content?: Content
  reasoning?: Part[]
  toolCalls?: ModelToolCall[]
  approvalRequests?: ModelApprovalRequest[]
  usage?: Partial<Usage>
  providerData?: JsonObject
}

/** A piece of an answer, live only and never stored. The last one is `finish`. */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Extract<Part, { type: 'file' }>
  | { type: 'tool-call'; call: ModelToolCall }
  | { type: 'approval-request'; request: ModelApprovalRequest }
  | { type: 'finish'; usage?: Partial<Usage>; providerData?: JsonObject }
