import type { Entry } from '../protocol/entry.ts'
import type { RequestStatus } from '../protocol/request.ts'
import { deadlineOf } from './plan/deadline.ts'

/** A change of the request index. The same shape as the store's, which core does not import. */
export type ProjectedChange =
  | {
      op: 'open'
      entry: number
      row: {
        id: string
        questionId: string
        kind: 'approve' | 'confirm' | 'ask'
        agent: string
        tool: string | null
        assignee: string | null
        expiresAt: number | null
      }
    }
  | { op: 'change'; entry: number; id: string; from: number; status: RequestStatus; dropDeadline?: true }

/** What entries change in the index of requests: computed here, so that every store applies the same. */
export function projectRequests(entries: readonly Entry[]): ProjectedChange[] {
  return entries.flatMap((entry, position): ProjectedChange[] => {
    switch (entry.type) {
      case 'request.opened':
        return [{ op: 'open', entry: position, row: toRow(entry) }]
      case 'request.decided':
        return [{ op: 'change', entry: position, id: entry.id, from: entry.version - 1, status: 'decided' }]
      case 'request.answered':
        return [{ op: 'change', entry: position, id: entry.id, from: entry.version - 1, status: 'decided' }]
      case 'request.escalated': {
        const change = { op: 'change', entry: position, id: entry.id, from: entry.version - 1, status: 'open' } as const
        return [{ ...change, dropDeadline: true }]
      }
      case 'request.reopened':
        return [{ op: 'change', entry: position, id: entry.id, from: entry.version - 1, status: 'open' }]
      case 'request.closed':
        return [{ op: 'change', entry: position, id: entry.id, from: entry.version - 1, status: entry.status }]
      default:
        return []
    }
  })
}

function toRow(entry: Extract<Entry, { type: 'request.opened' }>): Extract<ProjectedChange, { op: 'open' }>['row'] {
  return {
    id: entry.id,
    questionId: entry.questionId,
    kind: entry.kind,
    agent: entry.agent,
    tool: entry.toolName ?? null,
    assignee: entry.assignee ?? null,
    expiresAt: deadlineOf(entry, false) ?? null,
  }
}
