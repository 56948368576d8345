import type { RequestItem } from 'holdpoint/client'

/** What became of a request. */
export type Outcome =
  | 'approve'
  | 'edit'
  | 'reject'
  | 'respond'
  | 'answer'
  | 'expired'
  | 'cancelled'
  | 'aborted'
  | 'superseded'

/** What became of a closed request, and who did it, if it was a person. */
export function outcomeOf(request: RequestItem): { outcome: Outcome; by?: string; at?: string } {
  const { decided, answered, closed, status } = request
  if (decided) return { outcome: decided.decision.type, ...person(decided.by), at: decided.at }
  if (answered) return { outcome: 'answer', ...person(answered.by), at: answered.at }
  const outcome = status === 'open' || status === 'decided' ? 'answer' : status
  return closed ? { outcome, ...person(closed.by), at: closed.at } : { outcome }
}

const person = ({ kind, id }: { kind: string; id: string }) => (kind === 'person' ? { by: id } : {})
