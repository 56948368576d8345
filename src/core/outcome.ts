import type { Decision } from '../protocol/decision.ts'

/** What spans call the outcome of each type of decision. */
export const decisionOutcomes: Record<Decision['type'], 'approved' | 'denied' | 'edited' | 'answered'> = {
  approve: 'approved',
  reject: 'denied',
  edit: 'edited',
  respond: 'answered',
}
