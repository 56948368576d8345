import type { Decision } from '../../index.ts'

/** What was done, in the past. */
export const PAST: Readonly<Record<Decision['type'], string>> = {
  approve: 'Approved',
  edit: 'Approved with changes',
  reject: 'Rejected',
  respond: 'Answered',
}

/** What a decision means for its call. */
export function consequence(type: Decision['type']): string {
  switch (type) {
    case 'approve':
      return 'It runs once, exactly like this, as soon as the process of the agent goes on.'
    case 'edit':
      return 'It runs once, exactly like this, if the tool accepts it. If not, the request opens again and says why.'
    case 'reject':
      return 'It does not run. The agent is told.'
    case 'respond':
      return 'It does not run. The agent reads your words as its result.'
    default:
      return type satisfies never
  }
}
