import process from 'node:process'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { Face, type FaceParts } from './client/face.ts'
import { HttpFace } from './client/http.ts'
import { listenAt } from './client/listen.ts'
import { serveStdio } from './client/stdio.ts'
import { checkProxyOptions } from './options.ts'
import { Pins } from './pins/pins.ts'
import { Room } from './room/room.ts'
import { type KeptRoom, Rooms } from './room/rooms.ts'
import type { McpProxy, McpProxyOptions, PinnedTools } from './types.ts'
import { UnderWay } from './under-way.ts'

const GRACE_SECONDS = 10

/**
 * Makes an approval proxy: it stands between MCP clients and MCP servers. Tools pass through with their definitions pinned; each call is judged by the gate,
 * waits for a person if it is held, and is forwarded once.
 */
export function createMcpProxy(options: McpProxyOptions): McpProxy {
  const { wait, limits } = checkProxyOptions(options)
  const { gate, onWarning } = options
  const pins = new Pins(options.pins)
  const faces = new Set<Face>()
  const [requests, forwarded] = [new UnderWay(), new UnderWay()]
  const rooms = new Rooms(limits, {
    open: (principal) => new Room(principal, options.servers, pins),
    onIdle: (principal) => http.forget(principal),
  })
  const warn = (code: string, message: string): void => onWarning?.({ code, message })
  const partsOf = ({ room, use }: KeptRoom): FaceParts => ({
    ...{ gate, room, wait, pins, warn },
    track: (work) => requests.track(work.finally(use())),
    forwarding: (call) => forwarded.track(call),
  })
  const http: HttpFace = new HttpFace(options, { rooms, partsOf })
  const connect: McpProxy['connect'] = async (transport, client) => {
    const { principal } = client ?? {}
    if (typeof principal !== 'string' || principal === '')
      throw new InputInvalid('connect() of the proxy needs a principal: equal calls attach only within one.')
    const kept = rooms.of(principal)
    const leave = kept.use()
    const face = await Face.connect(partsOf(kept), transport, () => {
      faces.delete(face)
      leave()
    })
    faces.add(face)
  }
  const close: McpProxy['close'] = async ({ graceSeconds = GRACE_SECONDS } = {}) => {
    await Promise.all([http.close(), ...[...faces].map((face) => face.close())])
    const timer = new Promise((resolve) => setTimeout(resolve, graceSeconds * 1000).unref())
    // Only a call that a server runs is worth the wait. Everything else ends with the connections.
    await Promise.race([forwarded.ended(), timer])
    await rooms.close()
    await Promise.race([requests.ended(), timer])
  }
  return {
    connect,
    stdio: ({ principal, input = process.stdin, output = process.stdout }) =>
      serveStdio({ input, output }, (transport) => connect(transport, { principal })),
    fetch: (request) => http.fetch(request),
    listen: async (place) => {
      if (!options.auth) throw new InputInvalid('listen() of the proxy needs auth: anonymous callers are refused.')
      return listenAt((request) => http.fetch(request), place)
    },
    pin: () => pinAll(options, pins),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

async function pinAll({ servers }: McpProxyOptions, pins: Pins): Promise<PinnedTools> {
  // In memory: what is listed here is accepted below, not learnt.
  const room = new Room('pin', servers, new Pins(undefined))
  try {
    const pinned: Record<string, { tools: number; changed: readonly string[] }> = {}
    for (const [name, upstream] of room.upstreams) {
      const tools = await upstream.list()
      pinned[name] = { tools: tools.length, changed: pins.accept(name, tools) }
    }
    return pinned
  } finally {
    await room.close()
  }
}
