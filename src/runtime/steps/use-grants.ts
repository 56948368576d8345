import { spending } from '../../core/grants.ts'
import { grantedCalls } from '../../core/next.ts'
import { planDecision } from '../../core/plan/decide.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { Activation } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import type { KnownGrants } from '../journal/known-grants.ts'

/** Dependencies of `useGrants`. */
interface GrantUser {
  readonly journal: Journal
  readonly activation: Activation
  readonly grants: KnownGrants
}

/** Decides open requests by grants that were given later. A grant that allows is spent when the call starts. */
export async function useGrants({ activation, grants, journal }: GrantUser): Promise<void> {
  await activation.write((state) => {
    // Another process may have moved the run on, or ended it.
    if (state.run?.status !== 'open') return undefined
    const granted = grantedCalls(state, grants.known, journal.now())
    const entries = granted.flatMap(({ asked, use }) => {
      const { grant, amount } = use
      const said = grant.message === undefined ? {} : { message: grant.message }
      const decision: Decision = grant.effect === 'allow' ? { type: 'approve' } : { type: 'reject', ...said }
      const by = { kind: 'grant', id: grant.id } as const
      const taken = amount === undefined ? {} : { amount }
      return planDecision({ opened: asked.opened, version: asked.version, decision, by, ...taken })
    })
    const denied = granted.flatMap(({ use }) => (use.grant.effect === 'deny' ? [spending(use)] : []))
    return entries.length > 0 ? { entries, grants: denied } : undefined
  }, grants)
}
