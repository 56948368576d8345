import type { ConsumeOptions, RingOptions, WakeUp } from '../../ports/queue.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { parseTenantId, parseThreadId } from '../../protocol/ids.ts'
import { isWellFormed } from '../../protocol/json/json.ts'

/** Room for an agent and a version of 200 characters each, percent-encoded. */
const LONGEST_ROUTE = 4000

/** Checks a ring. Returns a copy of the wake-up, and its delay. */
export function checkRing(wakeUp: WakeUp, options: RingOptions = {}): { wakeUp: WakeUp; delayMs: number } {
  const { delayMs = 0, signal } = options
  signal?.throwIfAborted()
  if (typeof delayMs !== 'number' || !Number.isFinite(delayMs) || delayMs < 0)
    throw new InputInvalid('delayMs must be a number of milliseconds, 0 or more')
  const { tenantId, threadId, route } = wakeUp
  return {
    wakeUp: { tenantId: parseTenantId(tenantId), threadId: parseThreadId(threadId), route: checkRoute(route) },
    delayMs,
  }
}

/** Checks the options of a consumer. Returns its routes, each once. */
export function checkConsume({ routes, concurrency }: ConsumeOptions): string[] {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new InputInvalid('concurrency must be an integer, 1 or more')
  if (!Array.isArray(routes) || routes.length === 0) throw new InputInvalid('routes must name at least one route')
  return [...new Set(routes.map(checkRoute))]
}

function checkRoute(route: unknown): string {
  const isName = typeof route === 'string' && route !== '' && route.length <= LONGEST_ROUTE
  if (!isName || !isWellFormed(route) || route.includes('\0'))
    throw new InputInvalid(`a route must be a string of 1 to ${LONGEST_ROUTE} well-formed characters`)
  return route
}
