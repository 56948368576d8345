import { lazy } from '../../../protocol/checks/lazy.ts'
import { peerFailure } from '../../../protocol/errors/peer-missing.ts'

/** The parts of the MCP SDK for the side that clients see. */
export type ServerSdk = Awaited<ReturnType<typeof load>>

async function load() {
  try {
    const [{ Server }, types, http] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ])
    return { Server, types, HttpTransport: http.WebStandardStreamableHTTPServerTransport }
  } catch (error) {
    throw peerFailure('createMcpProxy', '@modelcontextprotocol/sdk', error)
  }
}

/** Loads the SDK on first use. */
export const loadServerSdk = lazy(load)
