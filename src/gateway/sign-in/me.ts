import type { Me } from '../../protocol/api/people.ts'
import { usesWorkers } from '../../worker/shared/live-workers.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'

/** What a caller is told about itself and this server. */
export async function meOf(
  { settings, store }: GatewayParts,
  { sub, tenant, roles, groups, expiresAt }: Caller,
): Promise<Me> {
  return {
    id: sub,
    tenant,
    roles: [...roles],
    groups: [...groups],
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    undoSeconds: settings.undoSeconds,
    previews: settings.agents.length > 0 || (store !== undefined && (await usesWorkers(store))),
    now: new Date().toISOString(),
  }
}
