import type { Store } from '../../ports/store.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { lastEventId } from '../hil/events.ts'
import { TOO_MANY } from '../hil/poll.ts'
import type { HttpCall } from '../http/call.ts'
import { eventStream } from '../http/event-stream.ts'
import type { Reply } from '../http/reply.ts'
import type { Result } from '../refusal.ts'
import { identify } from '../sign-in/identify.ts'
import { apiRoute } from '../v1/api-route.ts'
import { LiveStream } from './live-stream.ts'
import { Sight } from './sight.ts'

/** `GET /v1/events`: everything that happens to what the caller may see, from `Last-Event-ID` on. */
export const eventsRoute = apiRoute({
  method: 'GET',
  path: '/v1/events',
  summary: 'What happens to requests and grants that the caller may see. Goes on after Last-Event-ID',
  answer: 'text/event-stream',
  handle: ({ parts, caller, store, http }) => liveEvents({ parts, store }, caller, http),
})

async function liveEvents(
  { parts, store }: { parts: GatewayParts; store: Store },
  caller: Caller,
  call: HttpCall,
): Promise<Result<never> | Reply> {
  const { hub, waitSlots, settings } = parts
  const slot = hub && waitSlots.enter(caller)
  if (!slot) return TOO_MANY
  try {
    const joined = await hub.join(caller.tenant)
    const stream = new LiveStream(
      {
        hub,
        joined,
        sight: new Sight(store, parts.logger),
        signal: slot.signal,
        heartbeatMs: settings.heartbeatMs,
        caller: followCaller(parts, caller, call),
      },
      caller,
      lastEventId(call),
    )
    return eventStream(parts, slot, { next: () => stream.next(), end: () => joined.leave() })
  } catch (error) {
    slot.end()
    throw error
  }
}

/**
 * Says who the caller of a stream is now, by the session in the store or by `auth`. Whatever cannot be confirmed ends the stream; its client comes back
 * and is told why.
 */
function followCaller(parts: GatewayParts, first: Caller, call: HttpCall): () => Promise<Caller | undefined> {
  const { sub, tenant, session } = first
  const isSame = (now: Caller) => now.sub === sub && now.tenant === tenant
  if (session !== undefined) {
    const current = parts.sessionReads.follow(tenant, session)
    return async () => {
      const now = await current()
      return now && isSame(now) ? now : undefined
    }
  }
  return async () => {
    const now = await identify(parts, call)
    return 'status' in now || !isSame(now) ? undefined : now
  }
}
