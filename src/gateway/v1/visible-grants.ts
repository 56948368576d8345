import type { StandingGrant } from '../../core/grant-view.ts'
import type { RequestFacts } from '../../core/request-view.ts'
import type { ApiCall } from './api-route.ts'
import { seesThread } from './visible-thread.ts'

/** The grants of a page that the caller may see: those that were given in threads which they see. */
export async function seenGrants(call: ApiCall, grants: readonly StandingGrant[]): Promise<StandingGrant[]> {
  const threads = [...new Set(grants.map(({ threadId }) => threadId))]
  const seen = new Map(
    await Promise.all(threads.map(async (threadId) => [threadId, await seesThread(call, threadId)] as const)),
  )
  return grants.filter(({ threadId }) => seen.get(threadId))
}

const MOST_COUNTED = 100

/** How many grants in force are for the same agent and tool, of those that the caller may see. At most 100 are looked at. */
export async function countGrants(call: ApiCall, { opened }: RequestFacts): Promise<number> {
  const { toolName: tool, agent } = opened
  if (tool === undefined) return 0
  const { grants } = await call.desk.grants({ tool, agent, status: 'active', limit: MOST_COUNTED })
  return (await seenGrants(call, grants)).length
}
