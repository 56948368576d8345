import type { RequestPage, RequestQuery, StoredRequest } from '../../ports/store-lists.ts'
import { pageLimit } from '../shared/page.ts'
import { countBefore, type MemoryRequest, type MemoryTenant } from './data.ts'
import { entryAt } from './read.ts'

/** One request by its id. */
export function getRequest(tenant: MemoryTenant, id: string): StoredRequest | undefined {
  const request = tenant.requests.get(id)
  return request && toStored(request)
}

/** A page of requests from the highest id down. The cursor is the last id of the page before. */
export function findRequests(tenant: MemoryTenant, query: RequestQuery): RequestPage {
  const limit = pageLimit(query.limit)
  const all = query.threadId === undefined ? tenant.ordered : (tenant.threads.get(query.threadId)?.requests ?? [])
  const found: MemoryRequest[] = []
  for (let i = (query.cursor === undefined ? all.length : countBefore(all, query.cursor)) - 1; i >= 0; i--) {
    const request = all[i]!
    if (!matches(request, query)) continue
    if (found.length === limit) return { requests: found.map(toStored), next: found.at(-1)!.row.id }
    found.push(request)
  }
  return { requests: found.map(toStored) }
}

function matches({ row, status }: MemoryRequest, query: RequestQuery): boolean {
  return (
    (query.status === undefined || query.status === status) &&
    (query.tool === undefined || query.tool === row.tool) &&
    (query.agent === undefined || query.agent === row.agent) &&
    (query.assignee === undefined || query.assignee === row.assignee) &&
    (query.questionId === undefined || query.questionId === row.questionId)
  )
}

function toStored({ row, thread, status, version, opened, changed }: MemoryRequest): StoredRequest {
  return {
    id: row.id,
    threadId: thread.id,
    status,
    version,
    expiresAt: row.expiresAt,
    opened: entryAt(thread, opened),
    changed: changed === null ? null : entryAt(thread, changed),
  }
}
