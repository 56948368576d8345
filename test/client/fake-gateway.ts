import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, type ClientOptions, createClient } from '../../src/client.ts'

/** One request that a test server got. */
export interface Got {
  path: string
  token: string | undefined
  lastEventId: string | undefined
  body: { [key: string]: unknown }
}

/** What a test server does with a request. */
export type Answer = (got: Got, response: ServerResponse) => void | Promise<void>

export interface TestServer {
  url: string
  requests: Got[]
  /** Requests to one path. */
  to(path: string): Got[]
  client(options?: Partial<ClientOptions>): Client
  close(): Promise<void>
}

/** An HTTP server that answers, and fails, in whatever way a test wants. */
async function serverOf(answer: Answer): Promise<TestServer> {
  const requests: Got[] = []
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const path = request.url ?? ''
    const got: Got = {
      path,
      token: request.headers.authorization,
      lastEventId: request.headers['last-event-id'] as string | undefined,
      body: text === '' ? {} : JSON.parse(text),
    }
    requests.push(got)
    await answer(got, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    to: (path) => requests.filter((got) => got.path.startsWith(path)),
    client: (options = {}) =>
      createClient({ url, token: 'secret', backoff: { initialMs: 5, maxMs: 20 }, transport: 'poll', ...options }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** Works with a server, and closes it whatever happens. */
export async function withServer(answer: Answer, work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await serverOf(answer)
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

/** A 404 is a gateway's own by its header. */
export function json(response: ServerResponse, status: number, body?: object): void {
  const own = status === 404 ? { 'holdpoint-gone': 'stream' } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...own })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Answers a poll with what comes after its position in a list; position n is the nth message. Past the end: 404. */
export function pollFrom(messages: readonly object[]): Answer {
  return ({ body, path }, response) => {
    if (path !== '/hil/poll') return void response.writeHead(404).end('no such page')
    const next = Number(body.redis_last_id)
    const message = messages[next]
    if (!message) return json(response, 404, { detail: 'gone' })
    json(response, 200, { redis_last_id: String(next + 1), HIL_msg: message })
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}
