import type { GatewayParts } from '../gateway-parts.ts'
import type { HttpCall } from '../http/call.ts'
import { type Reply, toReply } from '../http/reply.ts'
import { isNavigation, plainPage } from '../page/plain-page.ts'
import type { Refusal } from '../refusal.ts'

/** Whether a request names this gateway as its host. */
export function isOwnHost({ origins }: GatewayParts, { request }: Pick<HttpCall, 'request'>): boolean {
  return origins.of(request) !== undefined
}

const DETAIL =
  'The Host header names a host that this server does not serve. To serve it, add its address to the option "origins" of the gateway (holdpoint start: --origin). A proxy in front of this server must pass Host on.'

/** The answer to a request for another host. It repeats nothing of the request. */
export function foreignHost(
  { logger }: GatewayParts,
  { request, header }: Pick<HttpCall, 'request' | 'header'>,
  refuse: (refusal: Refusal) => Reply = toReply,
): Reply {
  logger?.warn({ host: (header('host') ?? '').slice(0, 200) }, 'a request for another host was refused')
  if (isNavigation(request)) return plainPage({ status: 403, title: 'This host is not served here', text: DETAIL })
  return refuse({ status: 403, code: 'foreign_host', detail: DETAIL })
}
