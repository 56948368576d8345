import { Hono } from 'hono'
import { InputInvalid } from '../protocol/errors.ts'
import { type Core, createCore } from './core.ts'
import { healthz, readyz } from './health.ts'
import { messages, open } from './hil/batches.ts'
import { events } from './hil/events.ts'
import { inboxEvents, pollInbox } from './hil/inbox.ts'
import { poll } from './hil/poll.ts'
import { respond } from './hil/respond.ts'
import { readJson } from './http/body.ts'
import { type Endpoint, secured, toHandler } from './http/endpoint.ts'
import { COMMON_HEADERS, EMPTY, jsonText, NOTHING, toReply, UNHEARD } from './http/reply.ts'
import { openApi } from './openapi.ts'
import type { GatewayOptions } from './options.ts'

/** A gateway: a Hono application, so a `fetch` handler that can be mounted anywhere. */
export type Gateway = Hono & {
  /** Answers polls that wait with 204, ends live connections, and lets nobody wait from now on. */
  stop(): void
}

const cores = new WeakMap<Gateway, Core>()

/** The parts of a gateway, for what serves it by other means than `fetch`. Throws if it is none; `who` needs it. */
export function coreOf(gateway: Gateway, who: string): Core {
  const core = cores.get(gateway)
  if (!core) throw new InputInvalid(`${who} needs what createGateway returned.`)
  return core
}

/**
 * Makes the door through which people in other processes read and answer. It keeps nothing itself and may run any number of times beside
 * itself. Streams and store stay yours to close.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const core = createCore(options)
  const { basePath } = core.settings
  const app = new Hono()
  for (const [path, endpoint] of Object.entries(endpoints(core)))
    app.all(`${basePath}${path}`, toHandler(core, endpoint))
  app.notFound(() => {
    const { status, body, headers } = toReply({ status: 404, detail: 'There is nothing at this path.' })
    return new Response(body, { status, headers: { ...COMMON_HEADERS, ...headers } })
  })
  const gateway: Gateway = Object.assign(app, { stop: () => core.waits.stop() })
  cores.set(gateway, core)
  return gateway
}

function endpoints(core: Core): Record<string, Endpoint> {
  const { settings } = core
  const description = JSON.stringify(openApi(settings.basePath))
  return {
    '/hil/poll': secured(core, {
      method: 'POST',
      async handle(call, caller) {
        const body = await readJson(core, call)
        if (!body.ok) return toReply(body.refusal)
        const { request } = call
        const polled = await poll(core, caller, { body: body.value, signal: () => request.signal })
        if (!polled.ok) return toReply(polled.refusal)
        return polled.value === null ? NOTHING : jsonText(polled.value)
      },
    }),
    '/hil/respond': secured(core, {
      method: 'POST',
      async handle(call, caller) {
        const allowed = core.writes.take(caller)
        if (!allowed.ok) return toReply(allowed.refusal)
        const body = await readJson(core, call)
        if (!body.ok) return toReply(body.refusal)
        const done = await respond(core, caller, body.value)
        if (!done.ok) return toReply(done.refusal)
        return done.value === 'unheard' ? UNHEARD : EMPTY
      },
    }),
    '/hil/events': secured(core, { method: 'GET', handle: (call, caller) => events(core, caller, call) }),
    '/hil/open': secured(core, { method: 'GET', handle: (call, caller) => open(core, caller, call) }),
    '/hil/messages': secured(core, { method: 'GET', handle: (call, caller) => messages(core, caller, call) }),
    '/hil/inbox': secured(core, { method: 'POST', handle: (call, caller) => pollInbox(core, caller, call) }),
    '/hil/inbox/events': secured(core, { method: 'GET', handle: (call, caller) => inboxEvents(core, caller, call) }),
    '/healthz': healthz,
    '/readyz': readyz(core),
    '/openapi.json': { method: 'GET', isPublic: true, handle: async () => jsonText(description) },
  }
}
