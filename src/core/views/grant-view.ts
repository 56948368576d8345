import type { Actor } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { Grant, GrantScope } from '../../protocol/grant.ts'
import { cloneJson, type JsonObject } from '../../protocol/json/json.ts'

/** A grant as shown outside the journal: plain data. */
export interface StandingGrant {
  id: string
  effect: 'allow' | 'deny'
  status: 'active' | 'used_up' | 'expired' | 'revoked'
  scope: GrantScope
  /** With scope `thread`: it covers the conversation of a host, not one thread. */
  inConversation?: true
  tenant: string
  /** The thread, agent and request it was given in. */
  threadId: string
  runId: string
  agent: string
  requestId: string
  toolName: string
  /** The fingerprint of the tool's definition. A changed tool is not covered. */
  definition: string
  args?: JsonObject
  uses?: number
  used: number
  cap?: { field: string; max: number }
  /** How much of the cap is spent. */
  spent?: number
  message?: string
  by: Actor
  createdAt: string
  expiresAt?: string
  revoked?: { by: Actor; at: string; reason?: string }
}

/** Everything that is known about a grant when it is shown. */
export interface GrantFacts {
  tenant: string
  threadId: string
  status: StandingGrant['status']
  grant: Grant
  createdAt: number
  expiresAt: number | null
  used: number
  spent: number
  revoked?: { entry: Entry; at: number } | undefined
}

/** Converts a grant for display outside the journal. */
export function toStandingGrant(facts: GrantFacts): StandingGrant {
  const { id, effect, scope = 'run', run, agent, tool, definition, args, uses, cap, message, request, by } = facts.grant
  return {
    id,
    effect,
    status: facts.status,
    scope,
    ...(facts.grant.conversation === undefined ? {} : { inConversation: true }),
    tenant: facts.tenant,
    threadId: facts.threadId,
    runId: run,
    agent,
    requestId: request,
    toolName: tool,
    definition,
    ...(args === undefined ? {} : { args: cloneJson(args) }),
    ...(uses === undefined ? {} : { uses }),
    used: facts.used,
    ...(cap === undefined ? {} : { cap: { ...cap }, spent: facts.spent }),
    ...(message === undefined ? {} : { message }),
    by,
    createdAt: iso(facts.createdAt),
    ...(facts.expiresAt === null ? {} : { expiresAt: iso(facts.expiresAt) }),
    ...revocation(facts),
  }
}

/** A grant is revoked on its own, or together with the decision that gave it. */
function revocation({ revoked }: GrantFacts): Pick<StandingGrant, 'revoked'> {
  const { entry, at } = revoked ?? {}
  if (entry?.type !== 'grant.revoked' && entry?.type !== 'request.reopened') return {}
  const reason = entry.type === 'grant.revoked' ? entry.reason : undefined
  return { revoked: { by: entry.by, at: iso(at ?? 0), ...(reason === undefined ? {} : { reason }) } }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
