import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { AuthOutcome } from '../../gateway.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { Face, type FaceParts } from './face.ts'
import { headerProblem, type Mismatch } from './headers.ts'
import { isModern, MODERN } from './protocol.ts'
import { loadServerSdk, type ServerSdk } from './sdk.ts'
import type { McpProxyOptions } from './types.ts'

type HttpTransport = InstanceType<ServerSdk['HttpTransport']>

/** A client of the protocol with sessions. */
interface Session {
  readonly principal: string
  readonly transport: HttpTransport
}

const MAX_SESSIONS = 1_000
const MAX_BODY = 4 * 1024 * 1024

/** Streamable HTTP in both versions of the protocol. Each request proves its principal; a session belongs to the one that opened it. */
export class HttpFace {
  readonly #options: McpProxyOptions
  readonly #partsOf: (principal: string) => FaceParts
  readonly #sessions = new Map<string, Session>()

  constructor(options: McpProxyOptions, partsOf: (principal: string) => FaceParts) {
    this.#options = options
    this.#partsOf = partsOf
  }

  async fetch(request: Request): Promise<Response> {
    const { auth, origins = [] } = this.#options
    if (!auth) throw new InputInvalid('createMcpProxy() needs auth to serve HTTP: anonymous callers are refused.')
    const origin = request.headers.get('origin')
    if (origin !== null && !origins.includes(origin)) return refused(403, 'This origin may not call the proxy.')
    const outcome = await auth.authenticate({ header: (name) => request.headers.get(name) ?? undefined })
    const principal = principalOf(outcome)
    if (principal === undefined)
      return refused(401, 'The proxy needs a bearer token with a subject.', { 'www-authenticate': 'Bearer' })
    const length = Number(request.headers.get('content-length') ?? 0)
    if (length > MAX_BODY) return refused(413, 'The request is too long.')
    return this.#admitted(request, principal)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()))
    this.#sessions.clear()
  }

  async #admitted(request: Request, principal: string): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (request.method !== 'POST') return this.#inSession(request, { principal, id })
    const body = await bodyOf(request)
    if (body === undefined) return refused(400, 'The request is not JSON.')
    if (isRequest(body) && (isModern(body as never) || request.headers.get('mcp-protocol-version') === MODERN)) {
      const problem = headerProblem(request.headers, body)
      return problem ? mismatch(body, problem) : this.#modern(body, principal)
    }
    return this.#inSession(request, { principal, id, body })
  }

  async #modern(request: JSONRPCRequest, principal: string): Promise<Response> {
    const { OneShot } = await import('./one-shot.ts')
    const transport = new OneShot(request)
    await Face.connect(this.#partsOf(principal), transport as Transport)
    return transport.respond()
  }

  async #inSession(request: Request, { principal, id, body }: SessionRequest): Promise<Response> {
    const session = id === null ? undefined : this.#sessions.get(id)
    // A session of somebody else looks absent.
    if (id !== null && session?.principal !== principal) return refused(404, 'There is no such session.')
    const transport = session?.transport ?? (await this.#open(principal))
    const authInfo = { token: '', clientId: principal, scopes: [], extra: { closed: request.signal } }
    return transport.handleRequest(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
  }

  async #open(principal: string): Promise<HttpTransport> {
    const { HttpTransport } = await loadServerSdk()
    const transport = new HttpTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { principal, transport })
        this.#trim()
      },
    })
    const onclose = (): void => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    // The class sets optional members to undefined, which the interface does not allow.
    await Face.connect(this.#partsOf(principal), transport as unknown as Transport, onclose)
    return transport
  }

  /** Closes the oldest sessions. Their clients open new ones, and their requests are in the store. */
  #trim(): void {
    for (const [id, { transport }] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) return
      this.#sessions.delete(id)
      transport.close().catch(() => undefined)
    }
  }
}

interface SessionRequest {
  readonly principal: string
  readonly id: string | null
  readonly body?: unknown
}

function principalOf(outcome: AuthOutcome): string | undefined {
  if (!outcome.ok || outcome.caller.sub === '') return undefined
  return `token:${outcome.caller.tenant}:${outcome.caller.sub}`
}

function isRequest(body: unknown): body is JSONRPCRequest {
  return typeof body === 'object' && body !== null && 'method' in body && 'id' in body
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return text.length > MAX_BODY ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

function refused(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, { status, headers })
}

function mismatch({ id }: JSONRPCRequest, { code, message }: Mismatch): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status: 400 })
}
