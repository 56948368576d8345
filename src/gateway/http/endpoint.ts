import type { Context } from 'hono'
import type { AuthRequest, Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'
import { type Refusal, troubleOf } from '../refusal.ts'
import { COMMON_HEADERS, type Reply, toReply } from './reply.ts'

/** One request. */
export interface HttpCall extends AuthRequest {
  readonly request: Request
  query(name: string): string | undefined
  /** Something before the gateway has read the body already. */
  readonly consumed: boolean
  /** Known once the request passed authentication. */
  caller?: Caller
}

/** Answers requests of one path. Refusals are replies; what it throws is logged and answered with 500 or 503. */
export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Every caller gets the same answer at once, so `HEAD` is answered too, for load balancers. */
  readonly isPublic?: true
  handle(call: HttpCall): Promise<Reply>
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Member by member: spreading several objects into one is a good part of what answering costs. */
function headersOf(
  parts: GatewayParts,
  call: HttpCall,
  { headers: own }: Reply,
  requestId: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId }
  for (const name in COMMON_HEADERS) headers[name] = COMMON_HEADERS[name] as string
  for (const name in own) headers[name] = own[name] as string
  return parts.settings.origins.length === 0 ? headers : Object.assign(headers, corsHeaders(parts, call))
}

/** An endpoint as Hono calls it. One handler for all methods: a second one on the same path would cost every request a chain. */
export function toHandler(parts: GatewayParts, endpoint: Endpoint): (context: Context) => Promise<Response> {
  const { logger } = parts
  return async ({ req, env }) => {
    const request = req.raw
    const consumed = wasRead(env)
    const call: HttpCall = { request, consumed, header: (name) => req.header(name), query: (name) => req.query(name) }
    const started = logger ? performance.now() : 0
    const given = call.header('x-request-id')
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : parts.newRequestId()
    let reply: Reply
    try {
      reply = await answer(parts, endpoint, call)
    } catch (error) {
      logger?.error({ requestId, path: req.path, ...errorFields(error) }, 'a request failed')
      reply = toReply(troubleOf(error))
    }
    if (logger) {
      const who = call.caller ? { tenant: call.caller.tenant, sub: call.caller.sub } : {}
      const ms = Math.round(performance.now() - started)
      logger.info({ requestId, method: request.method, path: req.path, status: reply.status, ms, ...who }, 'request')
    }
    return new Response(reply.body, { status: reply.status, headers: headersOf(parts, call, reply, requestId) })
  }
}

/** Whether the body of a request of Node's own server is gone; of other servers nothing is known here. */
function wasRead(env: unknown): boolean {
  const { incoming } = (env ?? {}) as { incoming?: { readableDidRead?: boolean } }
  return incoming?.readableDidRead === true
}

/** An endpoint that knows its caller. */
export function secured(
  parts: GatewayParts,
  { method, handle }: { method: Endpoint['method']; handle(call: HttpCall, caller: Caller): Promise<Reply> },
): Endpoint {
  return {
    method,
    async handle(call) {
      const outcome = await authenticate(parts, call)
      if ('status' in outcome) return toReply(outcome)
      call.caller = outcome
      return handle(call, outcome)
    },
  }
}

/** Who calls, or why that is not known. */
export async function authenticate(parts: GatewayParts, request: AuthRequest): Promise<Caller | Refusal> {
  try {
    const outcome = await parts.auth.authenticate(request)
    if (outcome.ok) return outcome.caller
    return { status: 401, detail: outcome.detail, headers: { 'www-authenticate': 'Bearer' } }
  } catch (error) {
    parts.logger?.error(errorFields(error), 'nobody can tell who calls')
    return { status: 503, detail: 'Tokens cannot be checked right now. Try again.', headers: { 'retry-after': '1' } }
  }
}

function answer(parts: GatewayParts, { method, isPublic, handle }: Endpoint, call: HttpCall): Reply | Promise<Reply> {
  const given = call.request.method
  if (given === method || (given === 'HEAD' && isPublic)) return handle(call)
  if (given === 'OPTIONS') return preflight(parts, method, call)
  const detail = `This path takes ${method} only.`
  return toReply({ status: 405, detail, headers: { allow: method } })
}

function preflight(parts: GatewayParts, method: string, call: HttpCall): Reply {
  if (parts.settings.origins.length === 0 || call.header('origin') === undefined)
    return { status: 204, body: null, headers: { allow: `${method}, OPTIONS` } }
  const headers = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'authorization, content-type, last-event-id, x-request-id',
    'access-control-max-age': '600',
  }
  return { status: 204, body: null, headers }
}

/** Lets pages of the origins that were named read answers. Credentials that a browser adds by itself are never among them. */
function corsHeaders({ settings: { origins } }: GatewayParts, call: HttpCall): Record<string, string> {
  const origin = call.header('origin')
  if (origin === undefined || !(origins.includes(origin) || origins.includes('*'))) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, x-request-id, holdpoint-gone, holdpoint-delivery',
    vary: 'origin',
  }
}
