import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

/**
 * How a call failed: the server refused it (`refused`), has forgotten the session and with it the call (`forgotten`), was never reached
 * (`unsent`), ran it and answered in a way that cannot be read (`unreadable`); or it was sent and nobody knows what became of it (`unknown`).
 */
export type CallFailure = 'refused' | 'forgotten' | 'unsent' | 'unreadable' | 'unknown'

const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Tells how a call failed. What cannot be told apart may have happened. */
export function failureOf(error: unknown, { connected }: { connected: boolean }): CallFailure {
  if (error instanceof McpError) {
    // The same code is also a server's own to use; then the connection is still there.
    const isLost = error.code === ErrorCode.ConnectionClosed && !connected
    return isLost || error.code === ErrorCode.RequestTimeout ? 'unknown' : 'refused'
  }
  // The schema library's error, by its shape: which of its versions the SDK has loaded is not known here.
  if (error instanceof Error && Array.isArray((error as { issues?: unknown }).issues)) return 'unreadable'
  if (error instanceof UnauthorizedError) return 'refused'
  if (error instanceof StreamableHTTPError) {
    const { code = 0 } = error
    if (code === 404) return 'forgotten'
    return code >= 400 && code < 500 ? 'refused' : 'unknown'
  }
  return isUnreached(error) ? 'unsent' : 'unknown'
}

function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.message === 'Not connected') return true
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }
  // A host with several addresses fails with one error for each.
  const codes = [cause?.code, ...(cause?.errors ?? []).map(({ code }) => code)].filter((code) => code !== undefined)
  return codes.length > 0 && codes.every((code) => UNREACHED.has(String(code)))
}
