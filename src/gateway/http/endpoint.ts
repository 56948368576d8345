import type { Context } from 'hono'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'
import { type Refusal, troubleOf } from '../refusal.ts'
import { foreignHost, isOwnHost } from '../sign-in/foreign-host.ts'
import { identify } from '../sign-in/identify.ts'
import type { HttpCall } from './call.ts'
import { HonoCall } from './hono-call.ts'
import { COMMON_HEADERS, type Reply, toReply } from './reply.ts'

export type { HttpCall } from './call.ts'

/** Answers requests of one method and path. Refusals are replies; what it throws is logged and answered with 500 or 503. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Every caller gets the same answer at once, so `HEAD` is answered too, for load balancers. */
  readonly isPublic?: true
  /** Writes refusals. Default: `{ "detail": string }`. */
  readonly refuse?: (refusal: Refusal) => Reply
  /** Answers under any name, for load balancers that know only an address. */
  readonly anyHost?: true
  handle(call: HttpCall): Promise<Reply>
}

/** The endpoints of a gateway by path, as Hono writes paths. A path has one endpoint for each of its methods. */
export type Endpoints = Record<string, Endpoint | readonly [Endpoint, ...Endpoint[]]>

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** A reply with all its headers, as it is sent. */
export interface Sent {
  readonly status: number
  readonly body: Reply['body']
  readonly headers: Record<string, string>
}

/** Answers every request of one path, whatever transport brought it. Never throws. */
export type Exchange = (call: HttpCall) => Promise<Sent>

/** Member by member: spreading several objects into one is a good part of what answering costs. */
function headersOf({ headers: own }: Reply, requestId: string): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId }
  for (const name in COMMON_HEADERS) headers[name] = COMMON_HEADERS[name] as string
  for (const name in own) headers[name] = own[name] as string
  return headers
}

/** The endpoints of a path with everything that is common to all: the check of `Host`, failures, metrics, the log, headers. */
export function toExchange(
  parts: GatewayParts,
  given: Endpoint | readonly [Endpoint, ...Endpoint[]],
  route: string,
): Exchange {
  const { logger } = parts
  const endpoints: readonly Endpoint[] = 'method' in given ? [given] : given
  const refuse = endpoints[0]?.refuse ?? toReply
  const anyHost = endpoints.every((each) => each.anyHost)
  const answered = parts.metrics.answersOf(route, endpoints[0]?.method ?? 'GET')
  return async (call) => {
    const { method } = call.request
    const started = logger ? performance.now() : 0
    const given = call.header('x-request-id')
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : parts.newRequestId()
    let reply: Reply
    try {
      reply =
        anyHost || isOwnHost(parts, call) ? await answer(parts, endpoints, call) : foreignHost(parts, call, refuse)
    } catch (error) {
      logger?.error({ requestId, path: call.path, ...errorFields(error) }, 'a request failed')
      reply = refuse(troubleOf(error))
    }
    const { status, body } = reply
    answered(method, status)
    // Probes come every few seconds: only those that fail are told.
    if (logger && !(anyHost && status === 200)) {
      const who = call.caller ? { tenant: call.caller.tenant, sub: call.caller.sub } : {}
      const ms = Math.round(performance.now() - started)
      logger.info({ requestId, method, path: call.path, status, ms, ...who }, 'request')
    }
    const headers = headersOf(reply, requestId)
    if (parts.settings.corsOrigins.length > 0) Object.assign(headers, corsHeaders(parts, call))
    return { status, body, headers }
  }
}

/** An exchange as Hono calls it. One handler for all methods: a second one on the same path would cost every request a chain. */
export function toHandler(exchange: Exchange): (context: Context) => Promise<Response> {
  return async (context) => {
    const { status, body, headers } = await exchange(new HonoCall(context))
    return new Response(body, { status, headers })
  }
}

/** An endpoint that knows its caller. */
export function secured(
  parts: GatewayParts,
  {
    method,
    handle,
    refuse = toReply,
  }: Pick<Endpoint, 'method' | 'refuse'> & { handle(call: HttpCall, caller: Caller): Promise<Reply> },
): Endpoint {
  return {
    method,
    refuse,
    async handle(call) {
      const outcome = await identify(parts, call)
      if ('status' in outcome) return refuse(outcome)
      call.caller = outcome
      return await handle(call, outcome)
    },
  }
}

function answer(parts: GatewayParts, endpoints: readonly Endpoint[], call: HttpCall): Reply | Promise<Reply> {
  const given = call.request.method
  const endpoint = endpoints.find(({ method, isPublic }) => given === method || (given === 'HEAD' && isPublic))
  if (endpoint) return endpoint.handle(call)
  const methods = endpoints.map(({ method }) => method).join(', ')
  if (given === 'OPTIONS') return preflight(parts, methods, call)
  const refuse = endpoints[0]?.refuse ?? toReply
  return refuse({ status: 405, detail: `This path takes ${methods} only.`, headers: { allow: methods } })
}

function preflight(parts: GatewayParts, methods: string, call: HttpCall): Reply {
  if (parts.settings.corsOrigins.length === 0 || call.header('origin') === undefined)
    return { status: 204, body: null, headers: { allow: `${methods}, OPTIONS` } }
  const headers = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, last-event-id, traceparent, tracestate, x-request-id',
    'access-control-max-age': '600',
  }
  return { status: 204, body: null, headers }
}

/** Lets pages of the origins that were named read answers. Credentials that a browser adds by itself are never among them. */
function corsHeaders({ settings: { corsOrigins: origins } }: GatewayParts, call: HttpCall): Record<string, string> {
  const origin = call.header('origin')
  if (origin === undefined || !(origins.includes(origin) || origins.includes('*'))) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'retry-after, x-request-id, holdpoint-gone, holdpoint-delivery, idempotency-replayed',
    vary: 'origin',
  }
}
