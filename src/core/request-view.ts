import type { Decision } from '../protocol/decision.ts'
import type { Entry, EntryOf } from '../protocol/entry.ts'
import { cloneJson, type JsonObject } from '../protocol/json.ts'
import type { HitlRequest, RequestStatus } from '../protocol/request.ts'
import type { AskedRequest, ThreadState } from './state.ts'

/** Where a request's facts stand when it is shown. */
export interface RequestFacts {
  tenant: string
  threadId: string
  status: RequestStatus
  version: number
  opened: EntryOf<'request.opened'>
  openedAt: number
  changed?: Entry | undefined
  changedAt?: number | undefined
}

/** A request as people and programs outside see it: plain data that shares nothing with the journal's own. */
export function toHitlRequest(facts: RequestFacts): HitlRequest {
  const {
    v: _v,
    type: _type,
    run: _run,
    call: _call,
    ordinal: _ordinal,
    gate: _gate,
    definition: _definition,
    expiresAt,
    ...asked
  } = facts.opened
  const request: HitlRequest = {
    ...(cloneJson(asked as JsonObject) as typeof asked),
    threadId: facts.threadId,
    tenant: facts.tenant,
    status: facts.status,
    version: facts.version,
    createdAt: iso(facts.openedAt),
  }
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
  if (changed?.type === 'request.escalated') request.escalated = true
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
  if (request.escalated) view.escalated = true
  return view
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
