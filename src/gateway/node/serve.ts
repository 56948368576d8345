import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { type Gateway, partsOf } from '../gateway.ts'
import { COMMON_HEADERS, toReply } from '../http/reply.ts'
import { errorFields } from '../log.ts'
import { loadNodeServer, loadWs } from '../peers.ts'
import { troubleOf } from '../refusal.ts'
import { startBackground } from './background.ts'
import { Connections } from './connections.ts'
import { directly } from './direct.ts'
import { acceptWebSockets } from './web-sockets.ts'

/** How a gateway is served by Node. */
export interface ServeOptions {
  /** Default 0: any that is free. */
  port?: number
  /** Default `'127.0.0.1'`: this machine only. */
  host?: string
  /** How many connections may wait to be accepted, up to the system's limit. Default 4096. */
  backlog?: number
  /** How long requests may take to end when the server is closed. Default 5. */
  graceSeconds?: number
  /**
   * How often expired deadlines are recorded while it serves, if the gateway has a store. Every hour expired records and rows of the outbox that are
   * older than a week are deleted, too. `false`: something else does both. Default 1000.
   */
  sweepEveryMs?: number | false
}

/** A gateway that is served. */
export interface GatewayServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Accepts no more connections, answers waiting polls, ends live connections, and waits for the rest. A second call waits for the first. */
  close(): Promise<void>
}

/** How long a request, and its head alone, may take to arrive, and how often that is checked. */
const ARRIVAL = { requestTimeout: 60_000, headersTimeout: 15_000, connectionsCheckingInterval: 5000 }
/** Longer than load balancers keep idle connections, so that this side never closes one in use. */
const KEEP_ALIVE_MS = 75_000

/**
 * Serves a gateway over HTTP and WebSocket. For TLS put a proxy in front of it, or mount the gateway in a server of your own. A gateway with streams
 * needs the package `ws`.
 */
export async function serve(gateway: Gateway, options: ServeOptions = {}): Promise<GatewayServer> {
  requireKnown('serve', options, ['port', 'host', 'backlog', 'graceSeconds', 'sweepEveryMs'])
  const { port = 0, host = '127.0.0.1', backlog = 4096, graceSeconds = 5, sweepEveryMs = 1000 } = options
  if (!(graceSeconds >= 0)) throw new InputInvalid('graceSeconds must be a number of seconds, 0 or more.')
  if (sweepEveryMs !== false && !isInterval(sweepEveryMs))
    throw new InputInvalid('sweepEveryMs must be a number of milliseconds above 0, or false.')
  const parts = partsOf(gateway, 'serve')
  parts.origins.listensOn(host)
  const { logger } = parts
  const { getRequestListener, RequestError } = await loadNodeServer()
  if (parts.hasStreams) loadWs('serve')
  const listener = getRequestListener((request, env) => gateway.fetch(request, env), {
    errorHandler: (error) => {
      const broken = error instanceof RequestError
      if (!broken) logger?.error(errorFields(error), 'a request failed')
      const detail = 'The request line or Host header cannot be used.'
      const { status, body, headers } = toReply(broken ? { status: 400, detail } : troubleOf(undefined))
      return new Response(body, { status, headers: { ...COMMON_HEADERS, ...headers } })
    },
  })
  // A missing Host header is refused by the listener, in the same form as everything else.
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false, ...ARRIVAL },
    directly(gateway, logger, (request, response) => {
      listener(request, response).catch((error: unknown) => logger?.error(errorFields(error), 'a response failed'))
    }),
  )
  server.on('clientError', refuseBroken)
  const connections = new Connections(server)
  const webSockets = parts.hasStreams ? acceptWebSockets(gateway, server, { alone: true }) : undefined
  await listen(server, { port, host, backlog })
  const { port: actual } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actual}${parts.settings.basePath}`
  logger?.info({ url }, 'the gateway listens')

  const stopBackground = startBackground(parts, sweepEveryMs)

  async function end(): Promise<void> {
    const graceMs = graceSeconds * 1000
    const drained = connections.drain(graceMs)
    gateway.stop()
    webSockets?.close()
    await Promise.all([drained, stopBackground(graceMs)])
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= end()
    return closing
  }
  return { url, port: actual, close, [Symbol.asyncDispose]: close }
}

function isInterval(ms: unknown): boolean {
  return typeof ms === 'number' && ms > 0 && ms <= 0x7fffffff
}

function listen(server: Server, options: { port: number; host: string; backlog: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Refuses what is not HTTP, or arrives too slowly, in the same form as everything else. */
function refuseBroken(_error: Error, socket: Duplex): void {
  if (socket.destroyed || !socket.writable) return
  const body = JSON.stringify({ detail: 'This is not a request that can be read.' })
  const head = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\n\r\n${body}`)
}
