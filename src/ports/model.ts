import type { Usage } from '../protocol/entries/entry.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import type { Content, Message, Part } from '../protocol/message.ts'

/** A language model: one request in, a response or a stream of its parts out. */
export interface Model {
  readonly name?: string
  respond(request: ModelRequest): Promise<ModelResponse> | AsyncIterable<ModelPart>
}

/** A request to a model. */
export interface ModelRequest {
  instructions?: string
  messages: readonly Message[]
  tools: readonly { name: string; description: string; parameters: JsonObject }[]
  /** Servers whose tools the model's provider runs itself. Only this field holds their credentials. */
  hostedTools?: readonly HostedMcpServer[]
  /** The JSON Schema of the final answer, for agents with an `outputType`. The answer must be JSON that matches it. */
  outputSchema?: JsonObject
  signal: AbortSignal
}

/** A call made by a model, with parsed arguments or with the string it sent for them. */
export type ModelToolCall = { id?: string; name: string; providerData?: JsonObject } & (
  | { args: JsonObject }
  | { argsText: string }
)

/** An MCP server that the model's provider uses. Adapters pass it on as configured. */
export interface HostedMcpServer {
  readonly type: 'mcp'
  readonly serverLabel: string
  readonly serverUrl?: string
  readonly connectorId?: string
  readonly serverDescription?: string
  readonly authorization?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowedTools?: readonly string[]
  /** When the provider must ask first. */
  readonly requireApproval:
    | 'always'
    | 'never'
    | { readonly always?: { toolNames: readonly string[] }; readonly never?: { toolNames: readonly string[] } }
}

/**
 * A provider asks before it runs a tool of a hosted MCP server. The request is stored and decided like a call. The
 * answer is the call's result in the next request (`toApprovalResponse`).
 */
export interface ModelApprovalRequest {
  /** The provider's id of the request. */
  id: string
  serverLabel: string
  /** The server's own name of the tool. */
  name: string
  /** An object, or the string that was received. */
  arguments: JsonObject | string
  providerData?: JsonObject
}

/** A model's answer. */
export interface ModelResponse {
  content?: Content
  reasoning?: Part[]
  toolCalls?: ModelToolCall[]
  approvalRequests?: ModelApprovalRequest[]
  usage?: Partial<Usage>
  providerData?: JsonObject
}

/** A piece of an answer. Live only, never stored. The last one is `finish`. */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Extract<Part, { type: 'file' }>
  | { type: 'tool-call'; call: ModelToolCall }
  | { type: 'approval-request'; request: ModelApprovalRequest }
  | { type: 'finish'; usage?: Partial<Usage>; providerData?: JsonObject }
