import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { peerFailure } from '../../../protocol/errors/peer-missing.ts'

/** Serves a `fetch` handler at a port of this machine. */
export async function listenAt(
  fetch: (request: Request) => Promise<Response>,
  { port, host = '127.0.0.1' }: { port: number; host?: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const { getRequestListener } = await import('@hono/node-server').catch((error: unknown) => {
    throw peerFailure('createMcpProxy', '@hono/node-server', error)
  })
  const listener = getRequestListener(fetch)
  const server = createServer((incoming, outgoing) => {
    listener(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
