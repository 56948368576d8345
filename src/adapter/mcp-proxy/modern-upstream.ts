import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../protocol/json/json.ts'
import { MODERN, objectOr } from './protocol.ts'

const PREFIX = 'io.modelcontextprotocol/'
/** Notifications that only the protocol with sessions has. */
const UNKNOWN_THERE = new Set(['notifications/initialized', 'notifications/roots/list_changed'])

/** Requests that only the protocol with sessions has. Discovery takes their place. */
const DISCOVERED = new Set(['initialize', 'ping'])

/**
 * Lets the SDK's client, which speaks 2025-11-25, use a server that speaks 2026-07-28 alone: the handshake becomes `server/discover`, and each request says its
 * version. A result that asks for input is refused: the call cannot be repeated, since its release is spent.
 */
export class ModernUpstream implements Transport {
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
    if (!('id' in message)) return UNKNOWN_THERE.has(message.method) ? undefined : this.#inner.send(message)
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
      [`${PREFIX}protocolVersion`]: MODERN,
      [`${PREFIX}clientInfo`]: { name: 'holdpoint', version: '1' },
      // A call cannot be repeated, so the server may not ask for input.
      [`${PREFIX}clientCapabilities`]: {},
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
  const info = objectOr(objectOr(_meta)[`${PREFIX}serverInfo`])
  return {
    protocolVersion: '2025-11-25',
    capabilities: objectOr(capabilities),
    serverInfo: { name: 'unknown', version: '0', ...info },
    ...(instructions === undefined ? {} : { instructions }),
  }
}

/** Where the name is that the header `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** `fetch` with the headers by which a modern request says what its body says. */
export async function modernFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('mcp-protocol-version', MODERN)
  const body = typeof init.body === 'string' ? (JSON.parse(init.body) as JsonObject) : {}
  if (typeof body.method === 'string') {
    headers.set('mcp-method', body.method)
    const name = objectOr(body.params)[NAMED[body.method] ?? '']
    if (typeof name === 'string') headers.set('mcp-name', headerValue(name))
  }
  return fetch(url, { ...init, headers })
}

function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
