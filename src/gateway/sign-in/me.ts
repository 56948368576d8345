import type { Me } from '../../protocol/api/people.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'

/** What a caller is told about itself and this server. */
export function meOf({ settings }: GatewayParts, { sub, tenant, roles, groups, expiresAt }: Caller): Me {
  return {
    id: sub,
    tenant,
    roles: [...roles],
    groups: [...groups],
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    undoSeconds: settings.undoSeconds,
    previews: settings.agents.length > 0,
    now: new Date().toISOString(),
  }
}
