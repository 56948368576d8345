import type { DecisionType } from '../../protocol/decision.ts'

type Accepted = Readonly<Record<DecisionType, boolean>>

/** At a held final answer. It has no arguments that could be edited. */
const AT_GATE: Accepted = { approve: true, reject: true, respond: true, edit: false }

/** After an unknown outcome. The call may run again only as it was: its idempotency key belongs to its arguments. */
const AFTER_UNKNOWN: Accepted = { approve: true, respond: true, reject: true, edit: false }

/** The decision types that a held final answer accepts. */
export const gateDecisions = typesOf(AT_GATE)

/** The decision types that a request about an unknown outcome accepts. */
export const unknownOutcomeDecisions = typesOf(AFTER_UNKNOWN)

function typesOf(accepted: Accepted): readonly DecisionType[] {
  return (Object.keys(accepted) as DecisionType[]).filter((type) => accepted[type])
}
