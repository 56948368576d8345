import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { isModern, MODERN, objectOr } from './messages.ts'

/** A request whose headers and body disagree. */
export interface Mismatch {
  readonly code: number
  readonly message: string
}

const HEADER_MISMATCH = -32020
/** Where the name is that the header `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const ENCODED = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/

/** What is wrong with the headers of a modern request: intermediaries decide by them, so they must say what the body says. */
export function headerProblem(headers: Headers, { method, params }: JSONRPCRequest): Mismatch | undefined {
  const wrong = (name: string): Mismatch => ({
    code: HEADER_MISMATCH,
    message: `The header ${name} does not say what the body says.`,
  })
  if (headers.get('mcp-protocol-version') !== MODERN || !isModern({ method, params: params as never }))
    return wrong('MCP-Protocol-Version')
  if (headers.get('mcp-method') !== method) return wrong('Mcp-Method')
  const key = NAMED[method]
  if (key === undefined) return undefined
  return decoded(headers.get('mcp-name')) === (params as Record<string, unknown> | undefined)?.[key]
    ? undefined
    : wrong('Mcp-Name')
}

/** `fetch` with the headers by which a modern request says what its body says. */
export async function modernFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('mcp-protocol-version', MODERN)
  const body = typeof init.body === 'string' ? (JSON.parse(init.body) as JsonObject) : {}
  if (typeof body.method === 'string') {
    headers.set('mcp-method', body.method)
    const name = objectOr(body.params)[NAMED[body.method] ?? '']
    if (typeof name === 'string') headers.set('mcp-name', encoded(name))
  }
  return fetch(url, { ...init, headers })
}

/** Names that a header cannot carry are encoded. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

function decoded(value: string | null): string | null {
  const [, inner] = ENCODED.exec(value ?? '') ?? []
  return inner === undefined ? value : Buffer.from(inner, 'base64').toString('utf8')
}
