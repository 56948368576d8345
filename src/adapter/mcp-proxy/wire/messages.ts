import type { JsonObject, JsonValue } from '../../../protocol/json/json.ts'

/** The version of the protocol without sessions. */
export const MODERN = '2026-07-28'

/** The keys of `_meta` by which the two sides of a modern request describe themselves. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const

/** What a modern client says of itself in each request. It is for the proxy, not for servers behind it. */
const ENVELOPE: readonly string[] = [META.version, META.capabilities, META.clientInfo, META.logLevel]
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
])

/** A request of a client. */
export interface AskedRequest {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** Whether a request is of the protocol without sessions. */
export function isModern({ params }: AskedRequest): boolean {
  return metaOf(params)[META.version] === MODERN
}

/** What the client of a modern request can do. */
export function capabilitiesIn({ params }: AskedRequest): JsonObject {
  return objectOr(metaOf(params)[META.capabilities])
}

/** The `_meta` of a request without what is for the proxy alone. */
export function forwardedMeta(params: JsonObject | undefined): JsonObject {
  const own = new Set([...ENVELOPE, 'progressToken'])
  return Object.fromEntries(Object.entries(metaOf(params)).filter(([key]) => !own.has(key)))
}

/** The parameters of a request as a server behind the proxy gets them. */
export function forwardedParams(params: JsonObject | undefined = {}): JsonObject {
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params
  const meta = forwardedMeta(params)
  return { ...rest, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) }
}

/** A result in the form of the modern protocol. Lists are not to be cached: the servers behind may change. */
export function modernResult(method: string, result: JsonObject): JsonObject {
  const cache = CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}
  return { resultType: 'complete', ...cache, ...result }
}

/** The value, if it is an object. */
export function objectOr(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function metaOf(params: JsonObject | undefined): JsonObject {
  return objectOr(params?._meta)
}
