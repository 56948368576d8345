import type { StandingGrant } from '../../../core/views/grant-view.ts'
import { shownActor } from '../../../core/views/request-view.ts'
import type { GrantItem } from '../../../protocol/api/records.ts'
import { given } from './request-item.ts'

/** A grant as lists show it. */
export function toGrantItem(grant: StandingGrant, money?: GrantItem['money']): GrantItem {
  const { id, status, threadId, scope, agent, toolName: tool, uses, used, cap, spent, createdAt, revoked } = grant
  return {
    id,
    status,
    threadId,
    scope,
    ...given({ inConversation: grant.inConversation }),
    agent,
    tool,
    decision: grant.effect === 'allow' ? 'approve' : 'reject',
    request: grant.requestId,
    ...given({ args: grant.args }),
    uses: uses ?? null,
    used,
    cap: cap?.max ?? null,
    spent: spent ?? 0,
    ...given({ money }),
    ...given({ expiresAt: grant.expiresAt }),
    createdAt,
    by: shownActor(grant.by),
    ...(revoked ? { revoked: { ...revoked, by: shownActor(revoked.by) } } : {}),
  }
}
