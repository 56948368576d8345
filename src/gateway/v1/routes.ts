import type { GatewayParts } from '../gateway-parts.ts'
import type { Endpoint, Endpoints } from '../http/endpoint.ts'
import { eventsRoute } from '../live/events.ts'
import { signInRoutes } from '../sign-in/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { type AnyRoute, toEndpoint } from './api-route.ts'

/** Every route of `/v1`. A fixed path comes before one with a parameter in its place. */
export const apiRoutes: readonly AnyRoute[] = [...signInRoutes, eventsRoute, ...webhookRoutes]

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
