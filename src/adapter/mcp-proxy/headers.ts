import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { isModern, MODERN } from './protocol.ts'

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

/** Names that a header cannot carry are encoded. */
function decoded(value: string | null): string | null {
  const [, encoded] = ENCODED.exec(value ?? '') ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}
