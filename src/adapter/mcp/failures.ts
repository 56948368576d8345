import type { Sdk } from './sdk.ts'

/**
 * How a call failed. `refused`: by the server. `forgotten`: the server does not know the session, and so not the call.
 * `unsent`: the server was never reached. `unreadable`: it ran, and its response cannot be read. `unknown`: it was
 * sent, and its outcome is unknown.
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

/** Classifies the failure of a call. When in doubt, the call may have run. */
export function failureOf(error: unknown, { sdk, connected }: { sdk: Sdk; connected: boolean }): CallFailure {
  const { McpError, ErrorCode } = sdk.types
  if (error instanceof McpError) {
    // A server may use the same code itself. Then the connection is still open.
    const isLost = error.code === ErrorCode.ConnectionClosed && !connected
    return isLost || error.code === ErrorCode.RequestTimeout ? 'unknown' : 'refused'
  }
  // Detect the schema library's error by its shape: the SDK may have loaded any version of it.
  if (error instanceof Error && Array.isArray((error as { issues?: unknown }).issues)) return 'unreadable'
  if (error instanceof sdk.UnauthorizedError) return 'refused'
  if (error instanceof sdk.http.StreamableHTTPError) {
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
  // A host with several addresses fails with one error per address.
  const codes = [cause?.code, ...(cause?.errors ?? []).map(({ code }) => code)].filter((code) => code !== undefined)
  return codes.length > 0 && codes.every((code) => UNREACHED.has(String(code)))
}
