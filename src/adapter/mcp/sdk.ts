import { lazy } from '../../protocol/checks/lazy.ts'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'

/** The parts of the MCP SDK that are used here. */
export type Sdk = Awaited<ReturnType<typeof load>>

async function load() {
  try {
    const [{ Client }, types, { StdioClientTransport }, http, { UnauthorizedError }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/client/auth.js'),
    ])
    return { Client, types, StdioClientTransport, http, UnauthorizedError }
  } catch (error) {
    throw peerFailure('mcpServer', '@modelcontextprotocol/sdk', error)
  }
}

/**
 * Loads the SDK on first use. With import(), so that it is the copy of which users make transports: their errors are instances of its classes.
 */
export const loadSdk = lazy(load)
