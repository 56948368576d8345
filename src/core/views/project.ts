import type { Entry } from '../../protocol/entries/entry.ts'
import type { RequestStatus } from '../../protocol/request.ts'
import type { RequestRow } from '../../protocol/request-row.ts'
import { readersNamed, severalLists } from '../access.ts'
import { deadlineOf } from '../plan/deadline.ts'
import { searchText } from './request-index.ts'

/** A change of the request index, as stores take it. */
export type ProjectedChange =
  | { op: 'open'; entry: number; row: RequestRow }
  | { op: 'change'; entry: number; id: string; from: number; status: RequestStatus; dropDeadline?: true }

/** The changes that entries of a thread make to the request index. Computed here so that every store applies the same. */
export function projectRequests(entries: readonly Entry[], threadId: string): ProjectedChange[] {
  const changes: ProjectedChange[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]!
    switch (entry.type) {
      case 'request.opened':
        changes.push({ op: 'open', entry: position, row: toRow(entry, threadId) })
        break
      case 'request.decided':
      case 'request.answered':
        changes.push(toChange(entry, position, 'decided'))
        break
      case 'request.escalated':
        changes.push({ ...toChange(entry, position, 'open'), dropDeadline: true })
        break
      case 'request.reopened':
        changes.push(toChange(entry, position, 'open'))
        break
      case 'request.closed':
        changes.push(toChange(entry, position, entry.status))
        break
      default:
    }
  }
  return changes
}

function toChange(
  { id, version }: { id: string; version: number },
  entry: number,
  status: RequestStatus,
): Extract<ProjectedChange, { op: 'change' }> {
  return { op: 'change', entry, id, from: version - 1, status }
}

function toRow(entry: Extract<Entry, { type: 'request.opened' }>, threadId: string): RequestRow {
  return {
    id: entry.id,
    questionId: entry.questionId,
    kind: entry.kind,
    agent: entry.agent,
    tool: entry.toolName ?? null,
    assignee: entry.assignee ?? null,
    expiresAt: deadlineOf(entry, false) ?? null,
    readers: readersNamed(entry),
    lists: severalLists(entry),
    risk: entry.risk ?? null,
    text: searchText(entry, threadId),
  }
}
