import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { type Gateway, partsOf } from '../gateway.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { loadWs } from '../peers.ts'
import { CLOSE, WsConnection } from '../ws/connection.ts'

/** How many bytes one peer may leave unread. */
const MOST_BUFFERED = 16 * 1_048_576

/** The WebSocket endpoint of a server. */
export interface WebSockets {
  /** Ends all connections. */
  close(): void
}

/** Where WebSockets are accepted. */
export interface WebSocketPlace {
  /** Default `/hil/ws` below the gateway's base path. */
  path?: string
  /** Nobody else takes upgrades of this server, so those of other paths are refused. Default: they are left alone. */
  alone?: boolean
}

/** Lets a gateway answer WebSockets of a Node server. Deprecated, as their protocol is: polls and events do the same. Needs the package `ws`. */
export function acceptWebSockets(gateway: Gateway, server: Server, options: WebSocketPlace = {}): WebSockets {
  requireKnown('acceptWebSockets', options, ['path', 'alone'])
  const parts = partsOf(gateway, 'acceptWebSockets')
  const { path = `${parts.settings.basePath}/hil/ws`, alone = false } = options
  const { WebSocketServer } = loadWs('acceptWebSockets')
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: parts.settings.maxBodyBytes,
    perMessageDeflate: false,
  })
  const pings = setInterval(() => pingAll(sockets.clients as Set<Live>), parts.settings.pingMs)
  pings.unref()

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (pathOf(request) !== path || !parts.hasStreams) return alone ? refuse(socket, 404) : undefined
    if (parts.origins.ofHost(request.headers.host ?? '') === undefined || !isAllowedOrigin(parts, request))
      return refuse(socket, 403)
    if (parts.waitSlots.stopped || sockets.clients.size >= parts.settings.maxWaits) return refuse(socket, 503)
    sockets.handleUpgrade(request, socket, head, (webSocket) => connect(parts, webSocket, request))
  }
  server.on('upgrade', onUpgrade)

  return {
    close() {
      clearInterval(pings)
      server.off('upgrade', onUpgrade)
      for (const each of sockets.clients) each.close(CLOSE.goingAway, 'the gateway stops')
      sockets.close()
      // Do not wait for a peer that does not answer.
      setTimeout(() => {
        for (const each of sockets.clients) each.terminate()
      }, 1000).unref()
    },
  }
}

interface Live extends WebSocket {
  /** Whether anything came since the last ping. */
  heard?: boolean
  /** How many bytes waited to be read by the peer at the last ping. */
  waited?: number
}

function connect(parts: GatewayParts, socket: Live, request: IncomingMessage): void {
  socket.heard = true
  const connection = new WsConnection(parts, {
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    send: (text) => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(text)
      // A peer that does not read would fill the gateway's memory.
      if (socket.bufferedAmount > MOST_BUFFERED) socket.terminate()
    },
    isBehind: () => socket.bufferedAmount > 0,
    close: (code, reason) => socket.close(code, reason),
  })
  socket.on('pong', () => {
    socket.heard = true
  })
  socket.on('message', (data, isBinary) => {
    socket.heard = true
    // JSON-RPC is text. Binary frames are decoded, and refused if they are not JSON.
    connection.receive(isBinary || Buffer.isBuffer(data) ? String(data) : '')
  })
  // 'close' always follows.
  socket.on('error', () => undefined)
  socket.on('close', () => connection.end())
}

function pingAll(sockets: Set<Live>): void {
  for (const socket of sockets) {
    // A ping waits behind what was sent before. A slow peer that reads on is alive.
    const readsOn = socket.bufferedAmount < (socket.waited ?? 0)
    if (!socket.heard && !readsOn) socket.terminate()
    else socket.ping()
    socket.heard = false
    socket.waited = socket.bufferedAmount
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

/** Pages of other origins are refused, as over HTTP. Programs send no origin. */
function isAllowedOrigin(
  { settings: { corsOrigins: origins } }: GatewayParts,
  { headers: { origin, host } }: IncomingMessage,
): boolean {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

function refuse(socket: Duplex, status: 403 | 404 | 503): void {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
