import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'
import type { Refusal } from '../refusal.ts'
import type { AuthRequest, Caller } from './auth.ts'

/** Who calls, or why that is not known. `via`: the door that the caller came through, to be noted. */
export async function authenticate(
  parts: GatewayParts,
  request: AuthRequest,
  via?: Caller['via'],
): Promise<Caller | Refusal> {
  try {
    const outcome = await parts.auth.authenticate(request)
    if (outcome.ok) return via ? { ...outcome.caller, via } : outcome.caller
    return { status: 401, detail: outcome.detail, headers: { 'www-authenticate': 'Bearer' } }
  } catch (error) {
    parts.logger?.error(errorFields(error), 'tokens cannot be checked')
    return { status: 503, detail: 'Tokens cannot be checked right now. Try again.', headers: { 'retry-after': '1' } }
  }
}
