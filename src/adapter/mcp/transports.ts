import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServerFailed } from '../../protocol/errors/errors.ts'
import type { McpServerOptions } from './options.ts'

/** A new way to the server, each time it is asked. */
export type OpenTransport = () => Promise<Transport>

/** How the server is reached. */
export function openerOf(options: McpServerOptions): OpenTransport {
  const { name, command, args = [], env = {}, cwd, stderr = 'inherit', url, headers = {}, transport } = options
  if (command !== undefined) {
    const program = { command, args: [...args], env: { ...env }, stderr, ...(cwd === undefined ? {} : { cwd }) }
    return async () => new StdioClientTransport(program)
  }
  if (url !== undefined) {
    const target = new URL(url)
    // The class has optional members that it sets to undefined, which the interface does not allow.
    return async () =>
      new StreamableHTTPClientTransport(target, { requestInit: { headers: { ...headers } } }) as unknown as Transport
  }
  if (typeof transport === 'function') return async () => transport()
  let given = transport
  return async () => {
    if (!given) throw new McpServerFailed(name, 'its transport is used up; pass a function that makes one')
    const once = given
    given = undefined
    return once
  }
}

/** Whom a call over HTTP goes to, as part of the tools' definitions: without what may be secret in an address. */
export function recipientOf({ url }: McpServerOptions): string | undefined {
  if (url === undefined) return undefined
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
