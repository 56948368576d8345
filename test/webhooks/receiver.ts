import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A message that a receiver got. */
export interface Received {
  id: string
  timestamp: string
  signatures: string[]
  body: string
  message: { type: string; timestamp: string; data: Record<string, unknown> }
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** A server that gets webhooks. It answers 204, unless a test says otherwise. */
export async function receiver(first: Answer = (response) => response.writeHead(204).end()) {
  const got: Received[] = []
  const state = { answer: first, connections: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const received: Received = {
        id: String(request.headers['webhook-id']),
        timestamp: String(request.headers['webhook-timestamp']),
        signatures: String(request.headers['webhook-signature']).split(' '),
        body,
        message: JSON.parse(body),
      }
      got.push(received)
      state.answer(response, received, request)
    })
  })
  server.on('connection', () => (state.connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    got,
    state,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Whether a message is signed with a secret, checked as a receiver would. */
export function isSigned({ id, timestamp, signatures, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.some((each) => {
    const [version, value = ''] = each.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
