import type { RequestListFilter } from '../../client/v1/inbox-client.ts'
import type { LiveEvent } from '../../protocol/api/records.ts'
import type { RequestItem } from '../../protocol/api/requests.ts'

/**
 * A row of a list. `settled`: the request no longer matches the list's status, usually because somebody decided it. `gone`: it can no longer be seen.
 * Both stay where they are until the list is loaded again.
 */
export interface RequestRow {
  request: RequestItem
  state: 'waiting' | 'settled' | 'gone'
}

/** The row of a request in a list with this filter. */
export function rowOf(request: RequestItem, filter: RequestListFilter): RequestRow {
  return { request, state: hasStatus(request, filter.status ?? 'open') ? 'waiting' : 'settled' }
}

/** The same rows in the same places, with what is newer about some of them. The same array if nothing is. */
export function putRows(rows: readonly RequestRow[], newer: readonly RequestRow[]): readonly RequestRow[] {
  const byId = new Map(newer.map((row) => [row.request.id, row]))
  let changed = false
  const next = rows.map((row) => {
    const found = byId.get(row.request.id)
    if (found === undefined || found.request.version < row.request.version) return row
    changed = true
    return found
  })
  return changed ? next : rows
}

/** Whether an event about a request that is not shown can bring it into the list. */
export function mayBring(event: LiveEvent & { type: 'request' }, filter: RequestListFilter): boolean {
  if (event.what === 'commented') return false
  switch (filter.status ?? 'open') {
    case 'open':
      return event.what === 'opened' || event.what === 'reopened' || event.what === 'assigned'
    case 'all':
      return event.what === 'opened'
    default:
      return event.what !== 'opened' && event.what !== 'assigned'
  }
}

function hasStatus(request: RequestItem, status: NonNullable<RequestListFilter['status']>): boolean {
  if (status === 'all') return true
  return status === 'closed' ? request.status !== 'open' : request.status === status
}
