import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  CallToolResult,
  ClientCapabilities,
  Tool as ListedTool,
  Progress,
} from '@modelcontextprotocol/sdk/types.js'
import {
  HoldpointError,
  McpServerFailed,
  McpServerInvalid,
  messageOf,
  OutcomeUnknown,
} from '../../protocol/errors/errors.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { type CallFailure, failureOf } from './failures.ts'
import type { McpSettings } from './options.ts'
import { loadSdk } from './sdk.ts'
import type { OpenTransport } from './transports.ts'

export type { ListedTool }

/** A call to the server. */
export interface McpCall {
  name: string
  args: JsonObject
  signal: AbortSignal
  idempotencyKey: string
  fencingToken?: number
  /** The caller's `_meta`, sent along. */
  meta?: JsonObject
  onprogress?(progress: Progress): void
  /** Why the call must not be sent after all. Called once the newest list of tools is known. */
  objection(): string | undefined
}

/** What the user of a connection takes part in. */
export interface ConnectionHooks {
  /** Gets each list of tools before any call uses it. If it throws, the call stops. */
  onList(tools: readonly ListedTool[]): void
  /** What the server may ask of this side. Read at each connect. Default: nothing. */
  capabilities?(): ClientCapabilities
  /** Gets each new client before it connects, to add handlers. */
  prepare?(client: Client): void
}

// The engine enforces the time limit: its signal cancels the request at the server.
export const NO_LIMIT_MS = 2_147_483_647
const CLOSE_MS = 2_000
const PING_MS = 5_000
const MAX_PAGES = 1_000

/** A lazy connection to one server, and its list of tools. The next call reconnects a lost connection. */
export class Connection {
  readonly #settings: McpSettings
  readonly #open: OpenTransport
  readonly #hooks: ConnectionHooks
  #client: Client | undefined
  #connecting: Promise<Client> | undefined
  /** The client that waits for the server's first answer. */
  #greeting: Client | undefined
  #listing: Promise<void> | undefined
  /** The server announced a change of its tools, and the new list is not known yet. */
  #stale = false
  #closed = false
  #calls = 0
  #pinging = false

  constructor(settings: McpSettings, open: OpenTransport, hooks: ConnectionHooks) {
    this.#settings = settings
    this.#open = open
    this.#hooks = hooks
  }

  /** Connects and lists the tools, unless already done. */
  async ready(): Promise<Client> {
    if (this.#closed) throw new McpServerFailed(this.#settings.name, 'it was closed here')
    const client = this.#client ?? (await this.#connect())
    if (this.#stale) await this.list(client)
    return client
  }

  /** Lists the tools again. */
  async list(client: Client): Promise<void> {
    this.#listing ??= this.#list(client).finally(() => {
      this.#listing = undefined
    })
    await this.#listing
  }

  /** Sends a call and waits for its result. Throws `OutcomeUnknown` if it may have run without a known result. */
  async call(call: McpCall): Promise<CallToolResult> {
    const sdk = await loadSdk()
    for (let isFirst = true; ; isFirst = false) {
      call.signal.throwIfAborted()
      const client = await this.ready()
      const objection = call.objection()
      if (objection !== undefined) throw new McpServerFailed(this.#settings.name, objection)
      try {
        return await this.#send(client, call)
      } catch (error) {
        call.signal.throwIfAborted()
        const failure = failureOf(error, { sdk, connected: this.#client === client })
        // A server that does not know the session has not run the call. It is sent again in a new session.
        if (failure === 'forgotten' && isFirst) {
          await this.#lose(client)
          continue
        }
        throw this.#tell(failure, call, error)
      }
    }
  }

  /** Ends the connection, and the program that was started for it. */
  async close(): Promise<void> {
    this.#closed = true
    // A server that never answers is not waited for.
    await this.#greeting?.close().catch(() => undefined)
    const client = this.#client ?? (await this.#connecting?.catch(() => undefined))
    if (client) await this.#lose(client)
  }

  async #send(client: Client, { name, args, signal, onprogress, ...call }: McpCall): Promise<CallToolResult> {
    const { CallToolResultSchema } = (await loadSdk()).types
    const { meta, idempotencyKey, fencingToken } = call
    this.#calls += 1
    try {
      const _meta = {
        ...meta,
        'holdpoint/idempotency-key': idempotencyKey,
        ...(fencingToken === undefined ? {} : { 'holdpoint/fencing-token': fencingToken }),
      }
      return await client.request(
        { method: 'tools/call', params: { name, arguments: args, _meta } },
        CallToolResultSchema,
        {
          signal,
          timeout: NO_LIMIT_MS,
          ...(onprogress ? { onprogress } : {}),
        },
      )
    } finally {
      this.#calls -= 1
    }
  }

  /** The error for a failed call: a message for the model, or an unknown outcome. */
  #tell(failure: CallFailure, { name: tool }: McpCall, error: unknown): unknown {
    const { name } = this.#settings
    switch (failure) {
      case 'refused':
        return error
      case 'forgotten':
      case 'unsent':
        return new McpServerFailed(name, `it cannot be reached; the call was not run (${messageOf(error)})`, error)
      case 'unreadable':
        return new McpServerFailed(name, `it ran ${tool}, but its answer cannot be read`, error)
      case 'unknown':
        return new OutcomeUnknown(
          `The connection to MCP server "${name}" broke while it ran ${tool}: whether it took effect is not known (${messageOf(error)}).`,
          error,
        )
      default:
        return failure satisfies never
    }
  }

  #connect(): Promise<Client> {
    this.#connecting ??= this.#begin().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #begin(): Promise<Client> {
    const { name } = this.#settings
    const sdk = await loadSdk()
    const capabilities = this.#hooks.capabilities?.() ?? {}
    const client = new sdk.Client({ name: 'holdpoint', version: '1' }, { capabilities })
    this.#hooks.prepare?.(client)
    client.onclose = () => {
      if (this.#client === client) this.#client = undefined
    }
    client.onerror = () => this.#doubt(client)
    client.setNotificationHandler(sdk.types.ToolListChangedNotificationSchema, () => {
      this.#stale = true
      // Refresh the list early. If that fails, the next call lists again and reports the error.
      this.list(client).catch(() => undefined)
    })
    try {
      await this.#greet(client, await this.#open(sdk))
      await this.list(client)
      return client
    } catch (error) {
      await this.#lose(client)
      if (HoldpointError.isInstance(error)) throw error
      throw new McpServerFailed(name, `it cannot be connected: ${messageOf(error)}`, error)
    }
  }

  async #greet(client: Client, transport: Transport): Promise<void> {
    const { name, connectMs } = this.#settings
    if (this.#closed) {
      await transport.close()
      throw new McpServerFailed(name, 'it was closed here')
    }
    this.#greeting = client
    try {
      await client.connect(transport, { timeout: connectMs })
      this.#client = client
      this.#stale = true
    } finally {
      this.#greeting = undefined
    }
  }

  async #list(client: Client): Promise<void> {
    const { name, connectMs } = this.#settings
    const tools: ListedTool[] = []
    this.#stale = false
    try {
      const { ListToolsResultSchema } = (await loadSdk()).types
      let cursor: string | undefined
      // A server without tools may not support the request.
      for (let page = 0; client.getServerCapabilities()?.tools && (page === 0 || cursor !== undefined); page++) {
        if (page === MAX_PAGES) throw new McpServerInvalid(name, `its list of tools has more than ${MAX_PAGES} pages`)
        const params = cursor === undefined ? {} : { cursor }
        const answer = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
          timeout: connectMs,
        })
        tools.push(...answer.tools)
        cursor = answer.nextCursor
      }
      this.#hooks.onList(tools)
    } catch (error) {
      this.#stale = true
      if (HoldpointError.isInstance(error)) throw error
      throw new McpServerFailed(name, `its tools cannot be listed: ${messageOf(error)}`, error)
    }
  }

  /** Handles an error outside any request. If the server is gone, waiting calls fail at once instead of timing out. */
  #doubt(client: Client): void {
    if (this.#calls === 0 || this.#pinging || this.#client !== client) return
    this.#pinging = true
    client
      .ping({ timeout: PING_MS })
      .catch(() => this.#lose(client))
      .finally(() => {
        this.#pinging = false
      })
  }

  async #lose(client: Client): Promise<void> {
    if (this.#client === client) this.#client = undefined
    const { transport } = client
    if (this.#closed && transport && 'terminateSession' in transport) {
      const end = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => undefined)
      await Promise.race([end, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    }
    // Errors of the closing connection do not matter.
    await client.close().catch(() => undefined)
  }
}
