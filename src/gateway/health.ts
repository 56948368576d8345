import { messageOf } from '../protocol/errors/error-base.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { Endpoint } from './http/endpoint.ts'
import { jsonText } from './http/reply.ts'

const PING_MS = 2000
/** Anybody may ask; the backends are asked no more often than this. */
const KEEP_MS = 500

/** Says that the process runs. */
export const healthz: Endpoint = {
  method: 'GET',
  isPublic: true,
  anyHost: true,
  handle: async () => jsonText('{"status":"ok"}'),
}

/** Says whether requests can be served: the backends answer, and the gateway is not about to end. */
export function readyz(parts: GatewayParts): Endpoint {
  let last: { at: number; checks: Promise<Record<string, 'ok' | 'failed'>> } | undefined
  return {
    method: 'GET',
    isPublic: true,
    anyHost: true,
    async handle() {
      if (!last || performance.now() - last.at > KEEP_MS) last = { at: performance.now(), checks: checkAll(parts) }
      const checks = await last.checks
      const ready = !parts.waitSlots.stopped && Object.values(checks).every((each) => each === 'ok')
      const status = parts.waitSlots.stopped ? 'stopping' : ready ? 'ok' : 'unavailable'
      return jsonText(JSON.stringify({ status, checks }), ready ? 200 : 503)
    },
  }
}

async function checkAll(parts: GatewayParts): Promise<Record<string, 'ok' | 'failed'>> {
  const { streams, store } = parts.ping
  const checks = {
    ...(streams ? { streams: check(parts, 'streams', streams) } : {}),
    ...(store ? { store: check(parts, 'store', store) } : {}),
  }
  return Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, outcome]) => [name, await outcome] as const)),
  )
}

async function check(parts: GatewayParts, name: string, ping: () => Promise<void>): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PING_MS} ms`)), PING_MS)
  })
  try {
    await Promise.race([ping(), late])
    return 'ok'
  } catch (error) {
    parts.logger?.warn({ backend: name, problem: messageOf(error) }, 'a backend does not answer')
    return 'failed'
  } finally {
    clearTimeout(timer)
  }
}
