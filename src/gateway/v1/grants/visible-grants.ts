import { seesAll } from '../../../core/access.ts'
import type { StandingGrant } from '../../../core/views/grant-view.ts'
import type { RequestFacts } from '../../../core/views/request-view.ts'
import type { ApiCall } from '../api-route.ts'
import { visibleRequest } from '../requests/visible-request.ts'

/** The grants of a page that the caller may see: those that were given with requests which they see. A grant repeats arguments of its request. */
export async function seenGrants(call: ApiCall, grants: readonly StandingGrant[]): Promise<StandingGrant[]> {
  if (seesAll(call.caller)) return [...grants]
  const requests = [...new Set(grants.map(({ requestId }) => requestId))]
  const seen = new Map(
    await Promise.all(requests.map(async (id) => [id, (await visibleRequest(call, id)).ok] as const)),
  )
  return grants.filter(({ requestId }) => seen.get(requestId))
}

const MOST_COUNTED = 100

/** How many grants in force are for the same agent and tool, of those that the caller may see. At most 100 are looked at. */
export async function countGrants(call: ApiCall, { opened }: RequestFacts): Promise<number> {
  const { toolName: tool, agent } = opened
  if (tool === undefined) return 0
  const { grants } = await call.desk.grants({ tool, agent, status: 'active', limit: MOST_COUNTED })
  return (await seenGrants(call, grants)).length
}
