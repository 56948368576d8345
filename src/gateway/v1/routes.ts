import type { GatewayParts } from '../gateway-parts.ts'
import type { Endpoint, Endpoints } from '../http/endpoint.ts'
import { eventsRoute } from '../live/events.ts'
import { signInRoutes } from '../sign-in/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { type AnyRoute, toEndpoint } from './api-route.ts'
import { figuresRoute } from './figures.ts'
import { grantsRoute, revokeRoute } from './grants/grants.ts'
import { meRoute } from './me.ts'
import { answerRoute } from './requests/answer.ts'
import { bulkRoute } from './requests/bulk.ts'
import { cancelRoute } from './requests/cancel.ts'
import { decideRoute } from './requests/decide.ts'
import { assignRoute, claimRoute, commentRoute } from './requests/notes.ts'
import { previewRoute } from './requests/preview.ts'
import { requestRoute } from './requests/request.ts'
import { countsRoute, requestsRoute } from './requests/requests.ts'
import { withdrawRoute } from './requests/withdraw.ts'
import { auditRoute } from './threads/audit-export.ts'
import { verifyRoute } from './threads/audit-verify.ts'
import { journalRoute } from './threads/journal.ts'
import { abortRoute, retryRoute } from './threads/stuck.ts'
import { threadRoute, threadsRoute } from './threads/threads.ts'

/** Every route of `/v1`. A fixed path comes before one with a parameter in its place. */
export const apiRoutes: readonly AnyRoute[] = [
  ...[meRoute, requestsRoute, countsRoute, bulkRoute, requestRoute],
  ...[decideRoute, answerRoute, cancelRoute, withdrawRoute, previewRoute, commentRoute, assignRoute, claimRoute],
  ...[threadsRoute, threadRoute, retryRoute, abortRoute, journalRoute, grantsRoute, revokeRoute],
  ...[auditRoute, verifyRoute, figuresRoute],
  ...[eventsRoute, ...webhookRoutes, ...signInRoutes],
]

/** The endpoints of routes, by path. */
export function apiEndpoints(parts: GatewayParts, routes: readonly AnyRoute[]): Endpoints {
  const byPath: Record<string, [Endpoint, ...Endpoint[]]> = {}
  for (const route of routes) {
    const endpoint = toEndpoint(parts, route)
    const others = byPath[route.path]
    if (others) others.push(endpoint)
    else byPath[route.path] = [endpoint]
  }
  return byPath
}
