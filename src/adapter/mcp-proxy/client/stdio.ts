import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { peerFailure } from '../../../protocol/errors/peer-missing.ts'

/** The ends of the proxy's own stdio. */
export interface StdioEnds {
  readonly input: Readable
  readonly output: Writable
}

/** Serves the client that started this process. Resolves when the client has closed its end. */
export async function serveStdio(
  { input, output }: StdioEnds,
  connect: (transport: Transport) => Promise<void>,
): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js').catch((error: unknown) => {
    throw peerFailure('createMcpProxy', '@modelcontextprotocol/sdk', error)
  })
  const transport = new StdioServerTransport(input, output)
  const ended = new Promise<void>((resolve) => {
    // The SDK does not notice that the client is gone.
    for (const event of ['end', 'close', 'error']) input.once(event, resolve)
    output.once('error', () => resolve())
  })
  await connect(transport as Transport)
  await ended
  await transport.close()
}
