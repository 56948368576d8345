import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hasMetricsToken } from '../../gateway/metrics/metrics-token.ts'

/** What a process tells about itself. */
export interface Health {
  /** Whether it takes work: each thing that it needs, `ok` or `failed`, and whether it is about to end. */
  readiness(): Promise<{ status: 'ok' | 'unavailable' | 'stopping'; checks: Readonly<Record<string, 'ok' | 'failed'>> }>
  metrics(): Promise<{ type: string; text: string }>
  /** A bearer token for `/metrics`. `undefined`: whoever reaches the port may read them. */
  readonly metricsToken: string | undefined
  onError(error: unknown): void
}

/** A server of `/healthz`, `/readyz` and `/metrics`. */
export interface HealthServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves the health of a process that has no gateway. */
export async function serveHealth(
  health: Health,
  { port, host }: { port: number; host: string },
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(health, request, response).catch((error: unknown) => {
      health.onError(error)
      if (response.headersSent) response.destroy()
      else reply(response, { status: 500, body: '{"detail":"This failed. The log says more."}' })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
}

async function answer(health: Health, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply(response, { status: 405, body: '{"detail":"Only GET is answered here."}' })
  const path = (request.url ?? '').split('?')[0]
  if (path === '/healthz') return reply(response, { status: 200, body: '{"status":"ok"}' })
  if (path === '/readyz') {
    const readiness = await health.readiness()
    return reply(response, { status: readiness.status === 'ok' ? 200 : 503, body: JSON.stringify(readiness) })
  }
  if (path !== '/metrics') return reply(response, { status: 404, body: '{"detail":"There is nothing here."}' })
  const { metricsToken } = health
  if (metricsToken !== undefined && !hasMetricsToken(request.headers.authorization, metricsToken))
    return reply(response, { status: 401, body: '{"detail":"Metrics need the metrics token."}' })
  const { type, text } = await health.metrics()
  return reply(response, { status: 200, body: text, type })
}

function reply(response: ServerResponse, { status, body, type = 'application/json' }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}
