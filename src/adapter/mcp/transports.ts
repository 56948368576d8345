import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServerFailed } from '../../protocol/errors/errors.ts'
import type { McpServerOptions } from './options.ts'
import type { Sdk } from './sdk.ts'

/** Opens a new transport at each call. */
export type OpenTransport = (sdk: Sdk) => Promise<Transport>

/** The transport factory for the options. */
export function openerOf(options: McpServerOptions): OpenTransport {
  const { name, command, args = [], env = {}, cwd, stderr = 'inherit', url, headers = {}, transport } = options
  if (command !== undefined) {
    const program = { command, args: [...args], env: { ...env }, stderr, ...(cwd === undefined ? {} : { cwd }) }
    return async ({ StdioClientTransport }) => new StdioClientTransport(program)
  }
  if (url !== undefined) {
    const target = new URL(url)
    // The class sets optional members to undefined, which the interface does not allow.
    return async ({ http }) =>
      new http.StreamableHTTPClientTransport(target, {
        requestInit: { headers: { ...headers } },
      }) as unknown as Transport
  }
  if (typeof transport === 'function') return async () => transport()
  let given = transport
  return async () => {
    if (!given) throw new McpServerFailed(name, 'its transport can be used only once; pass a function that creates one')
    const once = given
    given = undefined
    return once
  }
}

/** The receiver of calls over HTTP, as part of the tools' definitions. Secret parts of the URL are left out. */
export function recipientOf({ url }: McpServerOptions): string | undefined {
  if (url === undefined) return undefined
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
