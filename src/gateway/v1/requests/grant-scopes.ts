import { mayOperate } from '../../../core/access.ts'
import { type GrantScope, grantScopes } from '../../../protocol/grant.ts'
import type { Caller } from '../../auth/auth.ts'

/** Scopes that concern nobody else's threads. */
const OWN: readonly GrantScope[] = ['run', 'thread']

/** How far a caller's standing decisions may reach. */
function scopesOf(caller: Caller): readonly GrantScope[] {
  return mayOperate(caller) ? grantScopes : OWN
}

/** Those that are of use for a request. A call from outside is all there is in its run. */
export function scopesFor(caller: Caller, { host }: { host?: unknown }): readonly GrantScope[] {
  const scopes = scopesOf(caller)
  return host === undefined ? scopes : scopes.filter((scope) => scope !== 'run')
}

/** Whether a caller may give a standing decision with this reach. What cannot be read is left to the desk to refuse. */
export function mayGrant(caller: Caller, always: unknown): boolean {
  if (typeof always !== 'object' || always === null || !('scope' in always)) return true
  return !grantScopes.includes(always.scope as GrantScope) || scopesOf(caller).includes(always.scope as GrantScope)
}
