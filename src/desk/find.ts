import { type RequestFacts, toHitlRequest } from '../core/request-view.ts'
import type { Store, StoredRequest } from '../ports/store.ts'
import type { EntryOf } from '../protocol/entry.ts'
import { HitlNoPendingRequest, InputInvalid, JournalInvalid, QuestionAmbiguous } from '../protocol/errors.ts'
import { requireKnown } from '../protocol/known-options.ts'
import { type HitlRequest, type RequestStatus, requestStatuses } from '../protocol/request.ts'
import { parseBody } from '../protocol/versions.ts'

/** What the desk reads requests from. */
export type RequestSource = Pick<Store, 'getRequest' | 'findRequests' | 'tenantId'>

/** Names a request: its id, its question id inside a thread, or any copy of it. */
export type RequestRef = string | Pick<HitlRequest, 'id'>

/** Reads the facts of one request by its id, or by its question id when the thread is known. */
export async function findRequest(source: RequestSource, ref: RequestRef, threadId?: string): Promise<RequestFacts> {
  const name: unknown = typeof ref === 'string' ? ref : (ref as Pick<HitlRequest, 'id'> | null | undefined)?.id
  if (typeof name !== 'string') throw new HitlNoPendingRequest(String(name))
  const stored = await source.getRequest(name)
  if (stored && (threadId === undefined || stored.threadId === threadId)) return toFacts(stored, source.tenantId)
  if (typeof ref === 'string' && threadId !== undefined) {
    const open = await source.findRequests({ threadId, questionId: name, status: 'open', limit: 50 })
    const [first, ...more] = open.requests
    if (first && more.length > 0)
      throw new QuestionAmbiguous(
        name,
        open.requests.map((request) => request.id),
      )
    if (first) return toFacts(first, source.tenantId)
    const settled = await source.findRequests({ threadId, questionId: name, limit: 1 })
    if (settled.requests[0]) return toFacts(settled.requests[0], source.tenantId)
  }
  throw new HitlNoPendingRequest(name)
}

const QUERY = ['status', 'threadId', 'tool', 'agent', 'assignee', 'limit', 'cursor']

/** A page of requests as people see them, newest first. */
export async function listRequests(
  store: RequestSource,
  query: {
    status?: RequestStatus
    threadId?: string
    tool?: string
    agent?: string
    assignee?: string
    limit?: number
    cursor?: string
  } = {},
): Promise<{ requests: HitlRequest[]; next?: string }> {
  // A misspelt filter would list the requests of everybody, to one who may decide them all.
  requireKnown('list()', query, QUERY)
  if (query.status !== undefined && !requestStatuses.includes(query.status)) {
    throw new InputInvalid(`status must be one of ${requestStatuses.join(', ')}; left out, all are listed.`)
  }
  const page = await store.findRequests(query)
  const requests = page.requests.map((stored) => toHitlRequest(toFacts(stored, store.tenantId)))
  return page.next === undefined ? { requests } : { requests, next: page.next }
}

function toFacts(stored: StoredRequest, tenant: string): RequestFacts {
  const { threadId } = stored
  const opened = parseBody(stored.opened.body, { threadId, seq: stored.opened.seq })
  if (opened.type !== 'request.opened') {
    throw new JournalInvalid({ threadId, seq: stored.opened.seq, problem: 'the request index points at another entry' })
  }
  const changed = stored.changed ? parseBody(stored.changed.body, { threadId, seq: stored.changed.seq }) : undefined
  return {
    tenant,
    threadId,
    status: stored.status,
    version: stored.version,
    // What was to be passed on and has no deadline any more was passed on.
    escalated: opened.onTimeout === 'escalate' && opened.expiresAt !== undefined && stored.expiresAt === null,
    opened: opened satisfies EntryOf<'request.opened'>,
    openedAt: stored.opened.at,
    changed,
    changedAt: stored.changed?.at,
  }
}
