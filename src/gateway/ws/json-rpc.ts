import { isJson, type JsonValue } from '../../protocol/json/json.ts'

/** Codes of JSON-RPC 2.0. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const

/** A request id; a notification has none. */
export type RpcId = string | number | null | undefined

/** One parsed message. */
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: unknown }
  | { kind: 'response'; id: RpcId; result: unknown }
  | { kind: 'invalid'; id: RpcId; code: number; problem: string }

/** Parses a message. Batches are refused. */
export function parseRpc(text: string): RpcMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'invalid', id: null, code: RPC.parseError, problem: 'This is not JSON.' }
  }
  const invalid = (problem: string, id: RpcId = null): RpcMessage => ({
    kind: 'invalid',
    id,
    code: RPC.invalidRequest,
    problem,
  })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('One request object is needed.')
  const { jsonrpc, id, method, params, result } = value as Record<string, unknown>
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number')
    return invalid('An id is a string or a number.')
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0".', id ?? null)
  if (typeof method === 'string') return { kind: 'request', id, method, params }
  if (method !== undefined || id === undefined) return invalid('"method" must be a string.', id ?? null)
  return { kind: 'response', id, result }
}

/** A request to the peer. */
export function rpcRequest(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** An acknowledgement. */
export function rpcAck(id: RpcId): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: 'ack' })
}

/** An error response. */
export function rpcError(id: RpcId, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } satisfies JsonValue })
}

/** The params, if they are an object of plain JSON; else none. */
export function paramsOf(params: unknown): Record<string, unknown> {
  return typeof params === 'object' && params !== null && !Array.isArray(params) && isJson(params)
    ? (params as Record<string, unknown>)
    : {}
}
