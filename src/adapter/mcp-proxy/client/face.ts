import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  ClientCapabilities,
  Notification,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { NO_LIMIT_MS } from '../../mcp/connection.ts'
import type { Caller, CallParts } from '../call/call-parts.ts'
import { callTool } from '../call/call-tool.ts'
import { QUESTION } from '../call/elicitation.ts'
import { progressTo } from '../call/progress.ts'
import type { Pins } from '../pins/pins.ts'
import { describeAll } from '../room/lists.ts'
import { passOn } from '../room/pass-on.ts'
import type { ConnectedClient } from '../room/room.ts'
import { findTool } from '../upstream/names.ts'
import {
  type AskedRequest,
  capabilitiesIn,
  forwardedMeta,
  isModern,
  META,
  MODERN,
  modernResult,
  objectOr,
} from '../wire/messages.ts'
import { loadServerSdk, type ServerSdk } from './sdk.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What a face needs. */
export interface FaceParts extends CallParts {
  readonly pins: Pins
  /** Counts a request of a client: its room stays open meanwhile. */
  track<T>(work: Promise<T>): Promise<T>
}

const INFO = { name: 'holdpoint-mcp-proxy', version: '1' }

/** The proxy as one client sees it: a server. It speaks both versions of the protocol, request by request. */
export class Face implements ConnectedClient {
  readonly #parts: FaceParts
  readonly #sdk: ServerSdk
  readonly #server: Server
  capabilities: ClientCapabilities = {}

  private constructor(parts: FaceParts, sdk: ServerSdk) {
    this.#parts = parts
    this.#sdk = sdk
    this.#server = new sdk.Server(INFO, { capabilities: {} })
    this.#server.setRequestHandler(sdk.types.InitializeRequestSchema, ({ params }) =>
      parts.track(this.#initialize(params)),
    )
    this.#server.fallbackRequestHandler = (request, extra) => parts.track(this.#handle(request as AskedRequest, extra))
    this.#server.fallbackNotificationHandler = (notification) => this.#notified(notification)
  }

  /** Serves a client. Resolves once it is connected. */
  static async connect(parts: FaceParts, transport: Transport, onclose: () => void = () => undefined): Promise<Face> {
    const face = new Face(parts, await loadServerSdk())
    face.#server.onclose = () => {
      parts.room.leave(face)
      onclose()
    }
    await face.#server.connect(transport)
    return face
  }

  async request({ method, params = {} }: AskedRequest, signal: AbortSignal): Promise<JsonObject> {
    const { ResultSchema } = this.#sdk.types
    const options = { signal, timeout: NO_LIMIT_MS }
    return (await this.#server.request({ method, params } as never, ResultSchema, options)) as JsonObject
  }

  notify({ method, params }: Notification): void {
    // The SDK would compare it with the capabilities of this side, which are those of the servers behind.
    const sent = this.#server.transport?.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) })
    sent?.catch((error: unknown) => this.#parts.warn('client_lost', `A client missed ${method}: ${String(error)}`))
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #initialize(params: { protocolVersion: string; capabilities: ClientCapabilities }) {
    const { SUPPORTED_PROTOCOL_VERSIONS: known, LATEST_PROTOCOL_VERSION: latest } = this.#sdk.types
    this.capabilities = params.capabilities
    this.#parts.room.enter(this)
    const { capabilities, instructions } = await describeAll(this.#parts)
    return {
      protocolVersion: known.includes(params.protocolVersion) ? params.protocolVersion : latest,
      capabilities,
      serverInfo: INFO,
      ...(instructions === undefined ? {} : { instructions }),
    }
  }

  async #handle(request: AskedRequest, extra: Extra): Promise<JsonObject> {
    const result = await this.#answer(request, extra)
    return isModern(request) ? modernResult(request.method, result) : result
  }

  async #answer(request: AskedRequest, extra: Extra): Promise<JsonObject> {
    if (request.method === 'server/discover') {
      const versions = [MODERN, ...this.#sdk.types.SUPPORTED_PROTOCOL_VERSIONS]
      const _meta = { [META.serverInfo]: INFO }
      return { supportedVersions: versions, ...(await describeAll(this.#parts)), _meta }
    }
    if (request.method === 'tools/call') return this.#call(request, extra)
    const { McpError, ErrorCode } = this.#sdk.types
    const answer = await passOn(this.#parts, request, { signal: extra.signal, onprogress: progressOf(extra).pass })
    if (!answer) throw new McpError(ErrorCode.MethodNotFound, `The proxy does not forward ${request.method}.`)
    return answer
  }

  async #call(request: AskedRequest, extra: Extra): Promise<JsonObject> {
    const { McpError, ErrorCode } = this.#sdk.types
    const { name, arguments: args = {} } = request.params ?? {}
    if (typeof name !== 'string') throw new McpError(ErrorCode.InvalidParams, 'tools/call needs a name.')
    const { room, pins } = this.#parts
    const found = await findTool(room.upstreams, name)
    if (!found) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}.`)
    const { upstream, listed } = found
    const pin = pins.statusOf(upstream.name, listed)
    const resolved = { principal: room.principal, server: upstream.name, listed, args: objectOr(args), pin, upstream }
    return callTool(this.#parts, resolved, this.#caller(request, extra))
  }

  #caller(request: AskedRequest, extra: Extra): Caller {
    const modern = isModern(request)
    const { inputResponses, requestState } = request.params ?? {}
    const answer = objectOr(inputResponses)[QUESTION]
    const { ResultSchema } = this.#sdk.types
    return {
      signal: signalOf(extra),
      capabilities: modern ? capabilitiesIn(request) : (this.capabilities as JsonObject),
      progress: progressOf(extra),
      meta: forwardedMeta(request.params),
      // A client that was asked and gave no decision is not asked again by this call.
      canRepeat: modern && requestState === undefined,
      answered:
        modern && typeof requestState === 'string' && answer !== undefined
          ? { requestId: requestState, answer: objectOr(answer) }
          : undefined,
      ask: modern
        ? undefined
        : async (params, signal) =>
            (await extra.sendRequest({ method: 'elicitation/create', params } as never, ResultSchema, {
              signal,
              timeout: NO_LIMIT_MS,
            })) as JsonObject,
    }
  }

  async #notified({ method, params }: Notification): Promise<void> {
    if (method !== 'notifications/roots/list_changed') return
    for (const upstream of this.#parts.room.upstreams.values())
      await upstream.notify({ method, ...(params ? { params } : {}) })
  }
}

function progressOf({ _meta, sendNotification }: Extra) {
  return progressTo(_meta?.progressToken, (params) =>
    sendNotification({ method: 'notifications/progress', params } as unknown as ServerNotification),
  )
}

/** Over HTTP a client gives up by closing its request. */
function signalOf({ signal, authInfo }: Extra): AbortSignal {
  const closed = authInfo?.extra?.closed
  return closed instanceof AbortSignal ? AbortSignal.any([signal, closed]) : signal
}
