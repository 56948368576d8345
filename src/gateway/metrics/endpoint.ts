import { mayReadMetrics } from '../../core/access.ts'
import { METRICS_TYPE } from '../../metrics/text.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { toReply } from '../http/reply.ts'
import { identify } from '../sign-in/identify.ts'
import { hasMetricsToken } from './metrics-token.ts'

const DENIED = {
  status: 403,
  detail: 'Metrics are of all tenants: they need the metrics token, or an operator or admin of the operator tenant.',
} as const

/** `GET /metrics`. It tells of all tenants, so it is for the metrics token, and for operators and admins of the tenant that runs the gateway. */
export function metricsEndpoint(parts: GatewayParts): Endpoint {
  return {
    method: 'GET',
    anyHost: true,
    async handle(call) {
      const { metricsToken } = parts.settings
      if (metricsToken === undefined || !hasMetricsToken(call.header('authorization'), metricsToken)) {
        const caller = await identify(parts, call)
        if ('status' in caller) return toReply(caller)
        call.caller = caller
        if (!mayReadMetrics(caller, parts.settings.operatorTenant)) return toReply(DENIED)
      }
      return { status: 200, body: await parts.metrics.text(), headers: { 'content-type': METRICS_TYPE } }
    },
  }
}
