import type { ClientCapabilities, Notification } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { loadSdk } from '../../mcp/sdk.ts'
import type { Pins } from '../pins/pins.ts'
import type { McpProxyServer } from '../upstream/server-options.ts'
import { type Downstream, Upstream } from '../upstream/upstream.ts'
import { type AskedRequest, objectOr } from '../wire/messages.ts'

/** A client as the servers behind the proxy see it. */
export interface ConnectedClient {
  readonly capabilities: ClientCapabilities
  request(request: AskedRequest, signal: AbortSignal): Promise<JsonObject>
  notify(notification: Notification): void
}

/** What serves the requests of a room. */
export interface RoomParts {
  readonly room: Room
  warn(code: string, message: string): void
}

/** What a server may ask of a client. Everything else ends at the proxy. */
const ASKABLE: Readonly<Record<string, keyof ClientCapabilities>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The servers and the clients of one principal. Nothing passes between principals. */
export class Room implements Downstream {
  readonly principal: string
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly #waiting = new Map<string, number>()
  readonly #clients = new Set<ConnectedClient>()

  constructor(principal: string, servers: Readonly<Record<string, McpProxyServer>>, pins: Pins) {
    this.principal = principal
    this.upstreams = new Map(
      Object.entries(servers).map(([name, options]) => [name, new Upstream(name, options, { pins, downstream: this })]),
    )
  }

  /** How many clients wait here for equal calls. */
  waiting(key: string): number {
    return this.#waiting.get(key) ?? 0
  }

  /** Counts a client that waits for a call, until it leaves or gives up: whoever gave up asks again, and then means the same call. */
  join(key: string, signal: AbortSignal): { before: number; leave(): void } {
    const before = this.waiting(key)
    this.#waiting.set(key, before + 1)
    let isIn = true
    const leave = (): void => {
      signal.removeEventListener('abort', leave)
      if (!isIn) return
      isIn = false
      const left = this.waiting(key) - 1
      if (left > 0) this.#waiting.set(key, left)
      else this.#waiting.delete(key)
    }
    signal.addEventListener('abort', leave, { once: true })
    return { before, leave }
  }

  enter(client: ConnectedClient): void {
    this.#clients.add(client)
  }

  leave(client: ConnectedClient): void {
    this.#clients.delete(client)
  }

  capabilities(): ClientCapabilities {
    const { elicitation, sampling, roots } = this.#newest()?.capabilities ?? {}
    return {
      ...(elicitation ? { elicitation } : {}),
      ...(sampling ? { sampling } : {}),
      ...(roots ? { roots } : {}),
    }
  }

  async request(server: string, { method, params = {} }: AskedRequest, signal: AbortSignal): Promise<JsonObject> {
    const { McpError, ErrorCode } = (await loadSdk()).types
    const capability = ASKABLE[method]
    const client = [...this.#clients].findLast(({ capabilities }) => capability && capabilities[capability])
    if (!client) throw new McpError(ErrorCode.MethodNotFound, `No client of this principal can answer ${method}.`)
    return client.request({ method, params: method === 'elicitation/create' ? marked(server, params) : params }, signal)
  }

  notify(server: string, notification: Notification): void {
    const named = notification.method === 'notifications/message' ? withLogger(server, notification) : notification
    for (const client of this.#clients) client.notify(named)
  }

  async close(): Promise<void> {
    await Promise.all([...this.upstreams.values()].map((upstream) => upstream.close()))
  }

  #newest(): ConnectedClient | undefined {
    return [...this.#clients].at(-1)
  }
}

/** A server's own question must not pass for one of the proxy's. Its answer goes to the server and decides nothing here. */
function marked(server: string, params: JsonObject): JsonObject {
  const { message, ...rest } = params
  const said = typeof message === 'string' ? message : ''
  const mark = `[MCP server "${server}" asks. Your answer goes to that server and approves no call.]`
  return {
    ...rest,
    message: `${mark}\n${said}`,
    _meta: { ...objectOr(params._meta), 'holdpoint/asked-by': server },
  }
}

function withLogger(server: string, { method, params }: Notification): Notification {
  const logger = typeof params?.logger === 'string' ? `${server}/${params.logger}` : server
  return { method, params: { ...params, logger } }
}
