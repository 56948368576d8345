import type { Decision } from '../protocol/decision.ts'

/** What spans call the outcome of each type of decision. */
export const decisionOutcomes = {
  approve: 'approved',
  reject: 'denied',
  edit: 'edited',
  respond: 'answered',
} as const satisfies Record<Decision['type'], string>
