import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInboxClient, type InboxClient, type InboxClientOptions } from '../../../src/client.ts'

/** One call that the server got. */
interface Got {
  method: string
  path: string
  query: { [key: string]: string }
  headers: IncomingHttpHeaders
  body: unknown
}

/** What the server does with a call. */
export type Answer = (got: Got, response: ServerResponse) => void | Promise<void>

export interface ApiServer {
  url: string
  calls: Got[]
  /** A client that retries fast. */
  client(options?: InboxClientOptions): InboxClient
  /** Cuts all connections. */
  cut(): void
}

/** Works with an HTTP server that answers, and fails, in whatever way a test wants. */
export async function withApi(answer: Answer, work: (server: ApiServer) => Promise<void>): Promise<void> {
  const calls: Got[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://test')
    const got: Got = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    calls.push(got)
    await answer(got, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await work({
      url,
      calls,
      client: (options = {}) =>
        createInboxClient({ url, token: 'secret', backoff: { initialMs: 5, maxMs: 20 }, ...options }),
      cut: () => server.closeAllConnections(),
    })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  }
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Begins a stream of events. */
export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': hello\n\n')
}

/** Sends one event. */
export function sendEvent(response: ServerResponse, id: string, event: object): void {
  response.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
}
