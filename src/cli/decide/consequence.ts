import type { Decision, HitlRequest } from '../../index.ts'
import { mayHaveRun } from '../render/request-facts.ts'

/** What was done, in the past. */
export const PAST: Readonly<Record<Decision['type'], string>> = {
  approve: 'Approved',
  edit: 'Approved with changes',
  reject: 'Rejected',
  respond: 'Answered',
}

/** What a decision means for the call of its request. */
export function consequence(type: Decision['type'], request: HitlRequest): string {
  const again = mayHaveRun(request) ? ' again' : ''
  switch (type) {
    case 'approve':
      if (again) return 'It runs again, exactly like this, as soon as the process of the agent goes on.'
      return 'It runs once, exactly like this, as soon as the process of the agent goes on.'
    case 'edit':
      return 'It runs once, exactly like this, if the tool accepts it. If not, the request opens again and says why.'
    case 'reject':
      return `It does not run${again}. The agent is told.`
    case 'respond':
      return `It does not run${again}. The agent reads your words as its result.`
    default:
      return type satisfies never
  }
}
