import { type RequestFacts, toHitlRequest } from '../core/views/request-view.ts'
import type { Store } from '../ports/store.ts'
import type { StoredRequest } from '../ports/store-lists.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { HitlNoPendingRequest, InputInvalid, JournalInvalid, QuestionAmbiguous } from '../protocol/errors/errors.ts'
import { type HitlRequest, type RequestStatus, requestStatuses } from '../protocol/request.ts'
import { type ThreadSource, threadsNamed } from './conversations.ts'

/** The part of the store that reads requests. */
export type RequestSource = Pick<Store, 'getRequest' | 'findRequests' | 'tenantId'>

/** Names a request: its id, its question id inside a thread, or any copy of it. */
export type RequestRef = string | Pick<HitlRequest, 'id'>

/** The scope in which a name is resolved. `isShown` says whether the caller was shown a request: then its question id means that one. */
interface NameScope {
  threadId?: string | undefined
  isShown?: ((id: string) => boolean) | undefined
  /** The digest of the intended call. */
  digest?: string | undefined
}

/** Reads the facts of one request by its id, or by its question id when the thread is known. */
export async function findRequest(
  source: RequestSource,
  ref: RequestRef,
  scope: NameScope = {},
): Promise<RequestFacts> {
  const { threadId } = scope
  const name: unknown = typeof ref === 'string' ? ref : (ref as Pick<HitlRequest, 'id'> | null | undefined)?.id
  if (typeof name !== 'string') throw new HitlNoPendingRequest(String(name))
  const stored = await source.getRequest(name)
  if (stored && (threadId === undefined || stored.threadId === threadId)) return toFacts(stored, source.tenantId)
  if (typeof ref === 'string' && threadId !== undefined) {
    const found = await findByQuestion(source, { ...scope, threadId, questionId: name })
    if (found) return toFacts(found, source.tenantId)
  }
  throw new HitlNoPendingRequest(name)
}

/**
 * Resolves a question id in a thread. A model may reuse the id of a call, and a call may be asked about again. Then the id alone is ambiguous, so an
 * open request is returned only if it was shown.
 */
async function findByQuestion(
  source: RequestSource,
  { threadId, questionId, isShown, digest }: NameScope & { threadId: string; questionId: string },
): Promise<StoredRequest | undefined> {
  // Newest first.
  const { requests } = await source.findRequests({ threadId, questionId, limit: 50 })
  const named = digest === undefined ? [] : requests.filter((one) => toFacts(one, '').opened.digest === digest)
  const meant = named.length > 0 ? named : requests
  const [open, ...more] = meant.filter(({ status }) => status === 'open')
  if (!open) return meant[0]
  if (more.length === 0 && (meant.length === 1 || isShown?.(open.id))) return open
  throw new QuestionAmbiguous(
    questionId,
    (more.length > 0 ? [open, ...more] : meant).map(({ id }) => id),
  )
}

const QUERY = ['status', 'threadId', 'tool', 'agent', 'assignee', 'limit', 'cursor']

/** A page of requests as people see them, newest first. `threadId` is a thread or a host's conversation: see `threadsNamed`. */
export async function listRequests(
  store: RequestSource & ThreadSource,
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
  // A misspelt filter would be ignored and list all requests.
  requireKnown('list()', query, QUERY)
  if (query.status !== undefined && !requestStatuses.includes(query.status)) {
    throw new InputInvalid(`status must be one of ${requestStatuses.join(', ')}; left out, all are listed.`)
  }
  const { threadId, ...filter } = query
  const threads = threadId === undefined ? {} : await threadsNamed(store, threadId)
  const page = await store.findRequests({ ...filter, ...threads })
  const requests = page.requests.map((stored) => toHitlRequest(toFacts(stored, store.tenantId)))
  return page.next === undefined ? { requests } : { requests, next: page.next }
}

/** What the entries of a stored request say. */
export function toFacts(stored: StoredRequest, tenant: string): RequestFacts {
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
    // A request that was to be escalated and no longer has a deadline was escalated.
    escalated: opened.onTimeout === 'escalate' && opened.expiresAt !== undefined && stored.expiresAt === null,
    opened: opened satisfies EntryOf<'request.opened'>,
    openedAt: stored.opened.at,
    changed,
    changedAt: stored.changed?.at,
  }
}
