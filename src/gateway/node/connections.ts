import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests a connection serves, and whether it was upgraded to another protocol. */
interface Use {
  requests: number
  upgraded: boolean
}

/**
 * Tracks the connections of a server, so that closing it waits for requests and for nothing else. (Node's `closeIdleConnections` spares connections
 * that never sent a request, and browsers open such in advance.)
 */
export class Connections {
  readonly #server: Server
  readonly #uses = new Map<Socket, Use>()
  #draining = false

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#uses.set(socket, { requests: 0, upgraded: false })
      socket.once('close', () => this.#uses.delete(socket))
    })
    // One function for all: a request that waits keeps no closure for this.
    const count = (socket: Socket): void => this.#count(socket, -1)
    function ended(this: ServerResponse): void {
      count(this.req.socket)
    }
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#count(request.socket, 1)
      response.on('close', ended)
    })
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const use = this.#uses.get(socket)
      if (use) use.upgraded = true
    })
  }

  /** Accepts no more connections. Resolves when all have ended, by themselves or after the grace period. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const [socket, { requests, upgraded }] of this.#uses) if (requests === 0 && !upgraded) socket.destroy()
    const cut = setTimeout(() => {
      for (const socket of this.#uses.keys()) socket.destroy()
    }, graceMs)
    await closed
    clearTimeout(cut)
  }

  #count(socket: Socket, by: 1 | -1): void {
    const use = this.#uses.get(socket)
    if (!use || use.upgraded) return
    use.requests += by
    // The response is written before this; what is in the system's buffers still goes out.
    if (this.#draining && use.requests === 0) socket.destroySoon()
  }
}
