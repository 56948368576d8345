import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type {
  CallToolResult,
  ClientCapabilities,
  Notification,
  Progress,
  ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js'
import { McpServerFailed } from '../../../protocol/errors/errors.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { Connection, type ListedTool, type McpCall, NO_LIMIT_MS } from '../../mcp/connection.ts'
import { loadSdk } from '../../mcp/sdk.ts'
import { definitionOf, fingerprintOf } from '../pins/definitions.ts'
import type { Pins } from '../pins/pins.ts'
import type { AskedRequest } from '../wire/messages.ts'
import { checkServer, type McpProxyServer } from './server-options.ts'

/** What a server asks of, and tells, the clients of its principal. */
export interface Downstream {
  capabilities(): ClientCapabilities
  request(server: string, request: AskedRequest, signal: AbortSignal): Promise<JsonObject>
  notify(server: string, notification: Notification): void
}

/** What the caller of a forwarded request takes part in. */
export interface Forwarding {
  readonly signal: AbortSignal
  readonly onprogress?: ((progress: Progress) => void) | undefined
}

/** One server behind the proxy, on behalf of one principal. It is connected when it is first needed, and again after it was lost. */
export class Upstream {
  readonly name: string
  readonly #connection: Connection
  #tools: readonly ListedTool[] = []

  constructor(name: string, options: McpProxyServer, { pins, downstream }: { pins: Pins; downstream: Downstream }) {
    this.name = name
    const { settings, open } = checkServer(name, options)
    this.#connection = new Connection(settings, open, {
      onList: (tools) => {
        pins.learn(name, tools)
        this.#tools = tools
      },
      capabilities: () => downstream.capabilities(),
      prepare: (client) => {
        client.fallbackRequestHandler = (request, { signal }) =>
          downstream.request(name, request as AskedRequest, signal)
        client.fallbackNotificationHandler = async (notification) => downstream.notify(name, notification)
      },
    })
  }

  /** The tools as they are listed now. */
  async list(): Promise<readonly ListedTool[]> {
    await this.#connection.list(await this.#connection.ready())
    return this.#tools
  }

  /** The tools as they were last listed. */
  async tools(): Promise<readonly ListedTool[]> {
    await this.#connection.ready()
    return this.#tools
  }

  async describe(): Promise<{ capabilities: ServerCapabilities; instructions: string | undefined }> {
    const client = await this.#connection.ready()
    return { capabilities: client.getServerCapabilities() ?? {}, instructions: client.getInstructions() }
  }

  /** Runs a tool whose definition is still the one that was judged. */
  async call(judged: ListedTool, call: Omit<McpCall, 'name' | 'objection'>): Promise<CallToolResult> {
    const { name } = judged
    const pinned = fingerprintOf(definitionOf(judged))
    return this.#connection.call({
      ...call,
      name,
      objection: () => {
        const now = this.#tools.find((tool) => tool.name === name)
        if (!now) return `it no longer has the tool ${name}; the call was not run`
        return fingerprintOf(definitionOf(now)) === pinned
          ? undefined
          : `it changed the definition of ${name} since the call was cleared; the call was not run`
      },
    })
  }

  /** Forwards any other request. */
  async request({ method, params = {} }: AskedRequest, { signal, onprogress }: Forwarding): Promise<JsonObject> {
    const client: Client = await this.#connection.ready()
    const { ResultSchema } = (await loadSdk()).types
    const options = { signal, timeout: NO_LIMIT_MS, ...(onprogress ? { onprogress } : {}) }
    return (await client.request({ method, params } as never, ResultSchema, options)) as JsonObject
  }

  /** Forwards a notification. */
  async notify(notification: Notification): Promise<void> {
    const client = await this.#connection.ready()
    if (!client.transport) throw new McpServerFailed(this.name, 'it is not connected')
    const { method, params } = notification
    await client.transport.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
