import type { Decision } from '../protocol/decision.ts'
import type { Entry, EntryOf } from '../protocol/entry.ts'
import { cloneJson, type JsonObject, type JsonValue } from '../protocol/json.ts'
import type { HitlRequest, RequestStatus } from '../protocol/request.ts'
import type { AskedRequest, ThreadState } from './state.ts'

/** Where a request's facts stand when it is shown. */
export interface RequestFacts {
  tenant: string
  threadId: string
  status: RequestStatus
  version: number
  /** It was passed on at its deadline, at whatever version. */
  escalated?: boolean
  opened: EntryOf<'request.opened'>
  openedAt: number
  changed?: Entry | undefined
  changedAt?: number | undefined
}

/** What of an opening is the journal's own business. */
const INTERNAL: ReadonlySet<string> = new Set([
  'v',
  'type',
  'run',
  'call',
  'ordinal',
  'gate',
  'frame',
  'definition',
  'expiresAt',
])

/** A request as people and programs outside see it: plain data that shares nothing with the journal's own. */
export function toHitlRequest(facts: RequestFacts): HitlRequest {
  const { opened } = facts
  const { expiresAt } = opened
  const request = {} as HitlRequest
  // Key by key: leaving members out by a rest pattern costs more than all the rest of this.
  for (const key of Object.keys(opened) as (keyof typeof opened)[]) {
    if (!INTERNAL.has(key)) (request as unknown as JsonObject)[key] = cloneJson(opened[key] as JsonValue)
  }
  request.threadId = facts.threadId
  request.tenant = facts.tenant
  request.status = facts.status
  request.version = facts.version
  request.createdAt = iso(facts.openedAt)
  if (expiresAt !== undefined) request.expiresAt = iso(expiresAt)
  const { changed, changedAt = 0 } = facts
  if (changed?.type === 'request.decided') {
    const { decision, by, undoMs = 0 } = changed
    request.decision = {
      ...(cloneJson(decision as JsonObject) as Decision),
      by,
      at: iso(changedAt),
      effectiveAt: iso(changedAt + undoMs),
    }
  }
  if (changed?.type === 'request.answered') {
    request.answer = { value: cloneJson(changed.answer), by: changed.by, at: iso(changedAt) }
  }
  if (changed?.type === 'request.closed' && changed.reason !== undefined) request.closedReason = changed.reason
  if (facts.escalated) passOn(request)
  if (changed?.type === 'request.reopened' && changed.problems) request.problems = [...changed.problems]
  return request
}

/** An open request of a folded thread, as its interruptions list it. */
export function toInterruption(state: ThreadState, request: AskedRequest): HitlRequest {
  const view = toHitlRequest({
    tenant: state.tenant,
    threadId: state.threadId,
    status: 'open',
    version: request.version,
    opened: request.opened,
    openedAt: request.openedAt,
  })
  if (request.problems) view.problems = [...request.problems]
  if (request.escalated) passOn(view)
  return view
}

/** What was passed on at its deadline has none any more. */
function passOn(request: HitlRequest): void {
  request.escalated = true
  delete request.expiresAt
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
