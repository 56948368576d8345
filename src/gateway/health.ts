import { messageOf } from '../protocol/errors/error-base.ts'
import { type BackendState, backendCheck } from './backend-check.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { Endpoint } from './http/endpoint.ts'
import { jsonText } from './http/reply.ts'

/** Says that the process runs. */
export const healthz: Endpoint = {
  method: 'GET',
  isPublic: true,
  anyHost: true,
  handle: async () => jsonText('{"status":"ok"}'),
}

/** Says whether requests can be served: the backends answer, and the gateway is not about to end. */
export function readyz(parts: GatewayParts): Endpoint {
  const backends = Object.entries(parts.ping).flatMap(([name, ping]) =>
    ping ? [[name, backendCheck(ping, (error) => tell(parts, name, error))] as const] : [],
  )
  return {
    method: 'GET',
    isPublic: true,
    anyHost: true,
    async handle() {
      const states = backends.map(async ([name, check]) => [name, await check()] as const)
      const checks: Record<string, BackendState> = Object.fromEntries(await Promise.all(states))
      const ready = !parts.waitSlots.stopped && Object.values(checks).every((each) => each === 'ok')
      const status = parts.waitSlots.stopped ? 'stopping' : ready ? 'ok' : 'unavailable'
      return jsonText(JSON.stringify({ status, checks }), ready ? 200 : 503)
    },
  }
}

function tell({ logger }: GatewayParts, backend: string, error: unknown): void {
  logger?.warn({ backend, problem: messageOf(error) }, 'a backend does not answer')
}
