import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Where a connection is cut when a chunk that a client sends holds some text. */
export type Cut =
  /** The server never sees the chunk. */
  | 'before-server'
  /** The server does it; what it answers never comes back. */
  | 'before-answer'
  /** The server sees the chunk only when it is let through, long after the client has lost its connection. */
  | 'late'
  /** Nobody sees the chunk until it is let through, and the connection stays open: it swallows everything from then on. */
  | 'swallow'
  /** The server does it; what it answers is swallowed, and the connection stays open. */
  | 'swallow-answer'

/** Stands between clients and a server of this machine, and cuts connections where it is told. */
export interface TcpProxy {
  readonly port: number
  /** Cuts the next connection on which a client sends this text, once. */
  cutAt(text: string, cut: Cut): { readonly happened: Promise<void>; letThrough(): Promise<void>; forget(): void }
  /** Cuts all connections; new ones are refused until `on` is true again. */
  set(on: boolean): void
  /** Swallows whatever anybody sends, on old and new connections, until it is no longer silent; those that were stay so. */
  silence(silent: boolean): void
  /** Keeps whatever anybody sends, on old and new connections, and hands it on in order when it no longer delays. */
  delay(delayed: boolean): void
  close(): Promise<void>
}

/** Starts a proxy. */
export async function startProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>()
  const clients = new Set<Socket>()
  let armed: { text: string; cut: Cut; happen(): void; hold(late: () => Promise<void>): void } | undefined
  let on = true
  let silent = false
  let delayed = false
  const hushed = new Set<Socket>()

  const proxy = createServer((client) => {
    if (!on) return client.destroy()
    if (silent) hushed.add(client)
    const server = connect(target, '127.0.0.1')
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => open.delete(socket) && hushed.delete(socket))
    }
    clients.add(client)
    client.on('close', () => clients.delete(client))
    let cutting: Cut | undefined
    client.on('data', (chunk: Buffer) => {
      if (hushed.has(client)) return
      if (armed && chunk.includes(armed.text)) {
        const { cut, happen, hold } = armed
        armed = undefined
        cutting = cut
        if (cut === 'before-server') server.destroy()
        else if (cut === 'late' || cut === 'swallow') {
          hold(async () => {
            server.write(chunk)
            await once(server, 'data')
            server.destroy()
          })
        }
        if (cut === 'before-answer' || cut === 'swallow-answer') server.write(chunk)
        else if (cut !== 'swallow') client.destroy()
        if (cut.startsWith('swallow')) hushed.add(client)
        return happen()
      }
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      if (hushed.has(client)) return
      if (cutting === undefined) client.write(chunk)
      else if (cutting === 'before-answer') {
        client.destroy()
        server.destroy()
      }
    })
    if (delayed) for (const socket of [client, server]) socket.pause()
    client.on('close', () => cutting === undefined && server.destroy())
    server.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address() as { port: number }

  return {
    port: address.port,
    cutAt(text, cut) {
      let late = async () => {}
      let own: typeof armed
      const happened = new Promise<void>((resolve) => {
        own = { text, cut, happen: resolve, hold: (let_) => (late = let_) }
        armed = own
      })
      const forget = (): void => {
        if (armed === own) armed = undefined
      }
      return { happened, letThrough: () => late(), forget }
    },
    set(value) {
      on = value
      if (!on) for (const socket of open) socket.destroy()
    },
    silence(value) {
      silent = value
      if (silent) for (const client of clients) hushed.add(client)
    },
    delay(value) {
      delayed = value
      for (const socket of open) delayed ? socket.pause() : socket.resume()
    },
    async close() {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
