import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Auth, AuthOutcome } from '../../../gateway.ts'
import { InputInvalid } from '../../../protocol/errors/errors.ts'
import type { KeptRoom, Rooms } from '../room/rooms.ts'
import { headerProblem, type Mismatch } from '../wire/headers.ts'
import { isModern, MODERN } from '../wire/messages.ts'
import { Face, type FaceParts } from './face.ts'
import { OneShot } from './one-shot.ts'
import { loadServerSdk, type ServerSdk } from './sdk.ts'

type HttpTransport = InstanceType<ServerSdk['HttpTransport']>

/** A client of the protocol with sessions. */
interface Session {
  readonly principal: string
  readonly transport: HttpTransport
}

const MAX_SESSIONS = 1_000
const MAX_BODY = 4 * 1024 * 1024

/** Who may call. */
export interface HttpOptions {
  readonly auth?: Auth
  readonly origins?: readonly string[]
}

/** What serves the callers. */
export interface HttpParts {
  readonly rooms: Rooms
  partsOf(kept: KeptRoom): FaceParts
}

/** Streamable HTTP in both versions of the protocol. Each request proves its principal; a session belongs to the one that opened it. */
export class HttpFace {
  readonly #options: HttpOptions
  readonly #parts: HttpParts
  readonly #sessions = new Map<string, Session>()
  readonly #oneShots = new Set<OneShot>()

  constructor(options: HttpOptions, parts: HttpParts) {
    this.#options = options
    this.#parts = parts
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

  /** Ends the sessions of a principal. Their clients get 404 and initialise again. */
  forget(principal: string): void {
    for (const [id, session] of this.#sessions) if (session.principal === principal) this.#end(id, session)
  }

  async close(): Promise<void> {
    const open = [...[...this.#sessions.values()].map(({ transport }) => transport), ...this.#oneShots]
    await Promise.all(open.map((transport) => transport.close()))
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
    const { rooms, partsOf } = this.#parts
    const objection = rooms.objection(principal)
    if (objection !== undefined) return full(objection)
    const kept = rooms.of(principal)
    const leave = kept.use()
    const transport = new OneShot(request)
    this.#oneShots.add(transport)
    const onclose = (): void => {
      this.#oneShots.delete(transport)
      leave()
    }
    await Face.connect(partsOf(kept), transport as Transport, onclose)
    return transport.respond()
  }

  async #inSession(request: Request, { principal, id, body }: SessionRequest): Promise<Response> {
    const session = id === null ? undefined : this.#sessions.get(id)
    // A session of somebody else looks absent.
    if (id !== null && session?.principal !== principal) return refused(404, 'There is no such session.')
    const authInfo = { token: '', clientId: principal, scopes: [], extra: { closed: request.signal } }
    // An open stream is no use of the room: a client that only listens would keep it open for ever.
    if (body === undefined)
      return session?.transport.handleRequest(request, { authInfo }) ?? refused(400, 'The request needs a session.')
    const { rooms } = this.#parts
    const objection = rooms.objection(principal)
    if (objection !== undefined) return full(objection)
    const kept = rooms.of(principal)
    const leave = kept.use()
    try {
      const transport = session?.transport ?? (await this.#open(principal, kept))
      return await transport.handleRequest(request, { authInfo, parsedBody: body })
    } finally {
      leave()
    }
  }

  async #open(principal: string, kept: KeptRoom): Promise<HttpTransport> {
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
    await Face.connect(this.#parts.partsOf(kept), transport as unknown as Transport, onclose)
    return transport
  }

  /** Closes the oldest sessions. Their clients open new ones, and their requests are in the store. */
  #trim(): void {
    for (const [id, session] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) return
      this.#end(id, session)
    }
  }

  #end(id: string, { transport }: Session): void {
    this.#sessions.delete(id)
    transport.close().catch(() => undefined)
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

function full(objection: string): Response {
  return refused(503, objection, { 'retry-after': '60' })
}

function mismatch({ id }: JSONRPCRequest, { code, message }: Mismatch): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status: 400 })
}
