import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createServer } from './tools.js'

/** A real MCP server over streamable HTTP on a loopback port, with sessions. */
export interface HttpServer {
  readonly url: string
  readonly log: string[]
  /** The headers of every request. */
  readonly seen: Record<string, string | string[] | undefined>[]
  /** Forgets all sessions, as a restart does. */
  forget(): Promise<void>
  /** Breaks every connection and takes no new ones. */
  kill(): Promise<void>
}

export async function httpServer(options: { describePay?: () => string; port?: number } = {}): Promise<HttpServer> {
  const log: string[] = []
  const seen: HttpServer['seen'] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http: Server = createHttpServer(async (request, response) => {
    seen.push({ ...request.headers })
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && !known) return void response.writeHead(404).end()
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
        onsessionclosed: (session) => void log.push(`closed ${session.length}`),
      })
    if (!known) {
      const server = createServer({
        log: (line) => log.push(line),
        describePay: options.describePay ?? (() => 'Pays somebody.'),
        die: () => void kill(),
      })
      await server.connect(transport as never)
    }
    await transport.handleRequest(request, response)
  })
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeAllConnections()
    await closed
  }
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    log,
    seen,
    kill,
    async forget() {
      for (const transport of sessions.values()) await transport.close()
      sessions.clear()
    },
  }
}
