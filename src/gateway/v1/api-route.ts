import type { z } from 'zod'
import type { Desk } from '../../desk/desk.ts'
import type { Store } from '../../ports/store.ts'
import { jsonProblem } from '../../protocol/json/json.ts'
import { AGENT_ROLE, type Caller, FOR_AGENTS, NOT_FOR_AGENTS } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check, readJson } from '../http/body.ts'
import { type Endpoint, type HttpCall, secured } from '../http/endpoint.ts'
import { jsonText, type Reply } from '../http/reply.ts'
import { type Refusal, type Result, refuse, troubleOf } from '../refusal.ts'
import { apiRefusal, notAllowed, ok, refusalOf } from './refusals.ts'

/** What a route of `/v1` takes and answers. Its endpoint and its description are both made from this. */
interface RouteShape<Query, Body> {
  readonly method: Endpoint['method']
  /** As Hono writes paths: `/v1/requests/:id`. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** The schema of its answer, or the media type of one that is not JSON. `null`: it answers nothing. */
  readonly answer: z.ZodType | string | null
  /** The status of its answer. Default 200, or 204 if it answers nothing. */
  readonly status?: 200 | 201 | 204
  /** The statuses of its refusals, besides those of every route. */
  readonly refusals?: readonly Refusal['status'][]
  /** It takes an `Idempotency-Key`. */
  readonly keyed?: true
  /** It is for credentials with the role `agent`, and for no others. All other routes refuse these. */
  readonly forAgents?: true
}

/** One route of `/v1`, for callers who are known. */
export interface ApiRoute<Query = unknown, Body = unknown> extends RouteShape<Query, Body> {
  /** Resolves to its answer, or to a whole response. What the desk throws is turned into a refusal if it is the caller's business. */
  handle(call: ApiCall<Query, Body>): Promise<Result<unknown> | Reply>
}

/** A route of `/v1` that anybody may call, to become known. It reads and checks its body itself. */
export interface OpenRoute extends RouteShape<unknown, unknown> {
  open(parts: GatewayParts, http: HttpCall): Promise<Result<Reply>>
}

/** Any route of `/v1`. */
export type AnyRoute = ApiRoute | OpenRoute

/** One request to a route of `/v1`, after it passed authentication and its schemas. */
export interface ApiCall<Query = unknown, Body = unknown> {
  readonly parts: GatewayParts
  readonly caller: Caller
  /** The store of the caller's tenant. */
  readonly store: Store
  /** The desk of the caller's tenant. */
  readonly desk: Desk
  readonly query: Query
  readonly body: Body
  readonly http: HttpCall
}

/** Defines a route. Only the types of its schemas are inferred here. */
export function apiRoute<Query = unknown, Body = unknown>(route: ApiRoute<Query, Body>): ApiRoute {
  return route as ApiRoute
}

/** The endpoint of a route. Needs a store. */
export function toEndpoint(parts: GatewayParts, route: AnyRoute): Endpoint {
  if ('open' in route) return openEndpoint(parts, route)
  return secured(parts, {
    method: route.method,
    refuse: apiRefusal,
    async handle(http, caller) {
      const outcome = await answer(parts, route, { http, caller })
      if ('status' in outcome) return outcome
      if (!outcome.ok) return apiRefusal(outcome.refusal)
      if (route.answer === null) return { status: route.status ?? 204, body: null }
      return jsonText(JSON.stringify(outcome.value), route.status ?? 200)
    },
  })
}

function openEndpoint(parts: GatewayParts, { method, open }: OpenRoute): Endpoint {
  return {
    method,
    refuse: apiRefusal,
    async handle(http) {
      const outcome = await open(parts, http)
      return outcome.ok ? outcome.value : apiRefusal(outcome.refusal)
    },
  }
}

async function answer(
  parts: GatewayParts,
  route: ApiRoute,
  { http, caller }: { http: HttpCall; caller: Caller },
): Promise<Result<unknown> | Reply> {
  const isAgent = caller.roles.includes(AGENT_ROLE)
  if (isAgent !== (route.forAgents ?? false)) return notAllowed(isAgent ? NOT_FOR_AGENTS : FOR_AGENTS)
  const allowed = route.method === 'GET' ? ok(undefined) : parts.writeLimiter.take(caller)
  if (!allowed.ok) return allowed
  const query = route.query ? readQuery(route.query, http) : ok({})
  if (!query.ok) return query
  const body = route.body ? await readBody(parts, route.body, http) : ok(undefined)
  if (!body.ok) return body
  const store = parts.store?.tenant(caller.tenant)
  const desk = parts.desk(caller.tenant)
  if (!store || !desk) return { ok: false, refusal: troubleOf(undefined) }
  try {
    return await route.handle({ parts, caller, store, desk, query: query.value, body: body.value, http })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { ok: false, refusal }
  }
}

async function readBody(parts: GatewayParts, schema: z.ZodType, http: HttpCall): Promise<Result<unknown>> {
  const given = await readJson(parts, http)
  if (!given.ok) return given
  const problem = jsonProblem(given.value, 'body')
  return problem === undefined ? check(schema, given.value) : refuse(400, `${problem}.`)
}

/** No stored string has U+0000, and some databases refuse to search for it. */
function readQuery(schema: z.ZodType, http: HttpCall): Result<unknown> {
  const given = http.queries()
  const odd = Object.keys(given).find((name) => given[name]?.includes('\0'))
  return odd === undefined ? check(schema, given) : refuse(400, `${odd}: must not contain the character U+0000.`)
}
