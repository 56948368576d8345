import type { Refusal } from '../refusal.ts'

/** A response, without the common headers. */
export interface Reply {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers of every response: not cached, not sniffed, not framed. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A response without a body. */
export const EMPTY: Reply = { status: 200, body: null, headers: { 'content-length': '0' } }

/** The same, for a reply that is stored while nobody waits for it. */
export const UNHEARD: Reply = { ...EMPTY, headers: { ...EMPTY.headers, 'holdpoint-delivery': 'unheard' } }

/** Nothing came in time. */
export const NOTHING: Reply = { status: 204, body: null }

/** A response with JSON that is serialised already. */
export function jsonText(body: string, status = 200): Reply {
  return { status, body, headers: JSON_TYPE }
}

/** A refusal as the seed has it: `{ "detail": string }`. */
export function toReply({ status, detail, headers }: Refusal): Reply {
  return { status, body: JSON.stringify({ detail }), headers: headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE }
}
