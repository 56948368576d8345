import type { Hono } from 'hono'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { createGatewayParts, type GatewayParts } from './gateway-parts.ts'
import { healthz, readyz } from './health.ts'
import { messages, open } from './hil/batches.ts'
import { events } from './hil/events.ts'
import { inboxEvents, pollInbox } from './hil/inbox.ts'
import { poll } from './hil/poll.ts'
import { respond } from './hil/respond.ts'
import { readJson } from './http/body.ts'
import { type Endpoints, type Exchange, secured, toExchange, toHandler } from './http/endpoint.ts'
import { COMMON_HEADERS, EMPTY, jsonText, NOTHING, toReply, UNHEARD } from './http/reply.ts'
import { metricsEndpoint } from './metrics/endpoint.ts'
import { openApi } from './openapi.ts'
import type { GatewayOptions } from './options.ts'
import { pageOf } from './page/page.ts'
import { loadHono } from './peers.ts'
import type { Person as SignInPerson } from './sign-in/session-records.ts'
import { linkFor, signInAs } from './sign-in/sign-in.ts'
import { gateRoutes } from './v1/gate/routes.ts'
import { apiEndpoints, apiRoutes } from './v1/routes.ts'

/** A gateway: a Hono application, so a `fetch` handler that can be mounted anywhere. */
export type Gateway = Hono & {
  /** Answers waiting polls with 204, ends live connections, and refuses new waits. */
  stop(): void
  /**
   * The seam for single sign-on: makes a session for a person whom your own code has identified, and returns the `Set-Cookie` header for the browser that
   * sent the request. The session that this browser had before ends. Needs a store.
   */
  signIn(request: Request, person: SignInPerson): Promise<string>
  /**
   * An address below `url` (where the inbox is served) that signs a person in, once, within 10 minutes, as `holdpoint link` prints it. Give it only to
   * that person. Needs a store.
   */
  signInLink(url: string, person: SignInPerson): Promise<string>
}

/** The paths that a transport may answer without Hono: those that clients call all the time. */
const DIRECT = ['/hil/poll', '/hil/respond']

/** Exchanges that are the same with and without Hono, by path, as long as the gateway has the `fetch` that it was made with. */
export interface DirectExchanges {
  readonly fetch: Gateway['fetch']
  readonly exchanges: ReadonlyMap<string, Exchange>
}

const insides = new WeakMap<Gateway, { parts: GatewayParts; direct: DirectExchanges }>()

/** Internals for transports other than fetch. Throws, naming `who`, unless createGateway made the gateway. */
export function partsOf(gateway: Gateway, who: string): GatewayParts {
  const { parts } = insides.get(gateway) ?? {}
  if (!parts) throw new InputInvalid(`${who} needs what createGateway returned.`)
  return parts
}

/** What a transport may answer without Hono. */
export function directExchanges(gateway: Gateway): DirectExchanges | undefined {
  return insides.get(gateway)?.direct
}

/**
 * Makes the HTTP interface through which people in other processes read and answer. It keeps no state, so any number of instances may run side by
 * side. Streams and store stay yours to close. Needs the package `hono`.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { Hono } = loadHono()
  const parts = createGatewayParts(options)
  const { basePath } = parts.settings
  const app = new Hono()
  const exchanges = new Map<string, Exchange>()
  for (const [path, given] of Object.entries(endpoints(parts))) {
    const exchange = toExchange(parts, given, path)
    app.all(`${basePath}${path}`, toHandler(exchange))
    if (DIRECT.includes(path)) exchanges.set(`${basePath}${path}`, exchange)
  }
  const page = pageOf(parts)
  app.notFound(({ req }) => {
    const { status, body, headers } = page(req.raw)
    return new Response(body, { status, headers: { ...COMMON_HEADERS, ...headers } })
  })
  const gateway: Gateway = Object.assign(app, {
    stop: () => stop(parts),
    signIn: (request: Request, person: SignInPerson) => signInAs(parts, request, person),
    signInLink: (url: string, person: SignInPerson) => linkFor(parts, url, person),
  })
  insides.set(gateway, { parts, direct: { fetch: app.fetch, exchanges } })
  return gateway
}

function stop({ waitSlots, hub }: GatewayParts): void {
  waitSlots.stop()
  hub?.stop()
}

function endpoints(parts: GatewayParts): Endpoints {
  const routes = [...(parts.store ? apiRoutes : []), ...(parts.hasGate ? gateRoutes : [])]
  const description = JSON.stringify(openApi(parts.settings.basePath, { hasStreams: parts.hasStreams, routes }))
  return {
    ...(parts.hasStreams ? streamEndpoints(parts) : {}),
    ...apiEndpoints(parts, routes),
    '/healthz': healthz,
    '/readyz': readyz(parts),
    '/metrics': metricsEndpoint(parts),
    '/openapi.json': { method: 'GET', isPublic: true, handle: async () => jsonText(description) },
  }
}

function streamEndpoints(parts: GatewayParts): Endpoints {
  return {
    '/hil/poll': secured(parts, {
      method: 'POST',
      async handle(call, caller) {
        const read = readJson(parts, call)
        const body = 'then' in read ? await read : read
        if (!body.ok) return toReply(body.refusal)
        const { request } = call
        const polled = await poll(parts, caller, { body: body.value, signal: () => request.signal })
        if (!polled.ok) return toReply(polled.refusal)
        return polled.value === null ? NOTHING : jsonText(polled.value)
      },
    }),
    '/hil/respond': secured(parts, {
      method: 'POST',
      async handle(call, caller) {
        const allowed = parts.writeLimiter.take(caller)
        if (!allowed.ok) return toReply(allowed.refusal)
        const read = readJson(parts, call)
        const body = 'then' in read ? await read : read
        if (!body.ok) return toReply(body.refusal)
        const done = await respond(parts, { caller, traceparent: call.header('traceparent') }, body.value)
        if (!done.ok) return toReply(done.refusal)
        return done.value === 'unheard' ? UNHEARD : EMPTY
      },
    }),
    '/hil/events': secured(parts, { method: 'GET', handle: (call, caller) => events(parts, caller, call) }),
    '/hil/open': secured(parts, { method: 'GET', handle: (call, caller) => open(parts, caller, call) }),
    '/hil/messages': secured(parts, { method: 'GET', handle: (call, caller) => messages(parts, caller, call) }),
    '/hil/inbox': secured(parts, { method: 'POST', handle: (call, caller) => pollInbox(parts, caller, call) }),
    '/hil/inbox/events': secured(parts, { method: 'GET', handle: (call, caller) => inboxEvents(parts, caller, call) }),
  }
}
