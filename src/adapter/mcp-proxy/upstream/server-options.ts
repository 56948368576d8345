import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServerInvalid } from '../../../protocol/errors/errors.ts'
import { checkOptions, type McpServerOptions, type McpSettings } from '../../mcp/options.ts'
import { type OpenTransport, openerOf } from '../../mcp/transports.ts'
import { modernFetch } from '../wire/headers.ts'
import { MODERN } from '../wire/messages.ts'
import { ModernTransport } from './modern-transport.ts'

/** How the proxy reaches one server: one of `command`, `url` and `transport`. */
export type McpProxyServer = Pick<
  McpServerOptions,
  'command' | 'args' | 'env' | 'cwd' | 'stderr' | 'url' | 'headers' | 'transport' | 'connectTimeoutSeconds'
> & {
  /** The version of the protocol to speak. `'2025-11-25'` (default) agrees on older ones too; most servers of 2026-07-28 accept it. */
  protocol?: '2025-11-25' | '2026-07-28'
}

/** Checks how a server is reached. Throws `McpServerInvalid`. */
export function checkServer(name: string, given: McpProxyServer): { settings: McpSettings; open: OpenTransport } {
  const { protocol = '2025-11-25', ...way } = given ?? {}
  const options = { name, ...way }
  const settings = checkOptions(options)
  if (protocol !== '2025-11-25' && protocol !== MODERN)
    throw new McpServerInvalid(name, `protocol must be "2025-11-25" or "${MODERN}"`)
  return { settings, open: protocol === MODERN ? modernOpener(options) : openerOf(options) }
}

function modernOpener(options: McpServerOptions): OpenTransport {
  const { url, headers = {} } = options
  if (url === undefined) return async (sdk) => new ModernTransport(await openerOf(options)(sdk))
  return async ({ http }) => {
    const requestInit = { headers: { ...headers } }
    const inner = new http.StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: modernFetch })
    // The class sets optional members to undefined, which the interface does not allow.
    return new ModernTransport(inner as unknown as Transport)
  }
}
