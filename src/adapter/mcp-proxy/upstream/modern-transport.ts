import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { META, MODERN, objectOr } from '../wire/messages.ts'

/** Notifications that only the protocol with sessions has. */
const UNKNOWN_THERE = new Set(['notifications/initialized', 'notifications/roots/list_changed'])

/** Requests that only the protocol with sessions has. Discovery takes their place. */
const DISCOVERED = new Set(['initialize', 'ping'])

/**
 * Lets the SDK's client, which speaks 2025-11-25, use a server that speaks 2026-07-28 alone: the handshake becomes `server/discover`, and each request says its
 * version. A result that asks for input is refused: the call cannot be repeated, since its release is spent.
 */
export class ModernTransport implements Transport {
  readonly #inner: Transport
  /** The requests under way whose responses are changed, by id. */
  readonly #sent = new Map<string | number, JSONRPCRequest>()
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void

  constructor(inner: Transport) {
    this.#inner = inner
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onmessage = (message) => this.onmessage?.(this.#received(message))
    await this.#inner.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) return this.#inner.send(message)
    if (!('id' in message)) {
      // A request that is cancelled gets no response.
      if (message.method === 'notifications/cancelled') this.#sent.delete(message.params?.requestId as string | number)
      return UNKNOWN_THERE.has(message.method) ? undefined : this.#inner.send(message)
    }
    this.#sent.set(message.id, message)
    await this.#inner.send(this.#asked(message))
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #asked(request: JSONRPCRequest): JSONRPCRequest {
    const params = (request.params ?? {}) as JsonObject
    const isDiscovery = DISCOVERED.has(request.method)
    const _meta = {
      ...objectOr(params._meta),
      [META.version]: MODERN,
      [META.clientInfo]: { name: 'holdpoint', version: '1' },
      // A call cannot be repeated, so the server may not ask for input.
      [META.capabilities]: {},
    }
    if (isDiscovery) return { ...request, method: 'server/discover', params: { _meta } as never }
    return { ...request, params: { ...params, _meta } as never }
  }

  #received(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message || message.id === undefined) return message
    const asked = this.#sent.get(message.id)
    this.#sent.delete(message.id)
    if (!asked || !('result' in message)) return message
    const result = message.result as JsonObject
    if (asked.method === 'initialize') return { ...message, result: initialized(result) as never }
    if (asked.method === 'ping') return { ...message, result: {} }
    if (result.resultType === undefined || result.resultType === 'complete') {
      const { resultType: _type, ...rest } = result
      return { ...message, result: rest as never }
    }
    const error = {
      code: -32603,
      message: `The server answered with ${String(result.resultType)}, which the proxy cannot pass on.`,
    }
    return { jsonrpc: '2.0', id: message.id, error }
  }
}

/** The answer to a handshake that the server never saw. */
function initialized({ capabilities, instructions, _meta }: JsonObject): JsonObject {
  const info = objectOr(objectOr(_meta)[META.serverInfo])
  return {
    protocolVersion: '2025-11-25',
    capabilities: objectOr(capabilities),
    serverInfo: { name: 'unknown', version: '0', ...info },
    ...(instructions === undefined ? {} : { instructions }),
  }
}
