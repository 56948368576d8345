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
  'This server does not go by the name in the Host header. If it should, add its address to the option "origins" of the gateway (holdpoint start: --origin); a proxy in front of it must pass Host on.'

/** The answer to a request for another host. It repeats nothing of the request. */
export function foreignHost(
  { logger }: GatewayParts,
  { request, header }: Pick<HttpCall, 'request' | 'header'>,
  refuse: (refusal: Refusal) => Reply = toReply,
): Reply {
  logger?.warn({ host: (header('host') ?? '').slice(0, 200) }, 'a request for another host was refused')
  if (isNavigation(request)) return plainPage({ status: 403, title: 'Not known by this name', text: DETAIL })
  return refuse({ status: 403, code: 'foreign_host', detail: DETAIL })
}
