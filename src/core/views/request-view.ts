import { lazy } from '../../protocol/checks/lazy.ts'
import { type Actor, actor, type Decision, decision } from '../../protocol/decision.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { cloneJson, type JsonObject, type JsonValue } from '../../protocol/json/json.ts'
import {
  type HitlRequest,
  type Question,
  question,
  questionOption,
  type RequestStatus,
  requestContent,
} from '../../protocol/request.ts'
import type { AskedRequest, ThreadState } from '../state.ts'

/** Everything that is known about a request when it is shown. */
export interface RequestFacts {
  tenant: string
  threadId: string
  status: RequestStatus
  version: number
  /** It was escalated at its deadline, at any version. */
  escalated?: boolean
  opened: EntryOf<'request.opened'>
  openedAt: number
  changed?: Entry | undefined
  changedAt?: number | undefined
}

const SHOWN = lazy(() => Object.keys(requestContent().shape) as (keyof ReturnType<typeof requestContent>['shape'])[])

/** Converts a request for display outside the journal: plain data that shares nothing with the journal. */
export function toHitlRequest(facts: RequestFacts): HitlRequest {
  const { opened } = facts
  const { expiresAt } = opened
  const request = {} as HitlRequest
  for (const key of SHOWN()) {
    const value = key === 'questions' ? opened.questions?.map(shownQuestion) : opened[key]
    if (value !== undefined) (request as unknown as JsonObject)[key] = cloneJson(value as JsonValue)
  }
  request.threadId = facts.threadId
  request.tenant = facts.tenant
  request.status = facts.status
  request.version = facts.version
  request.createdAt = iso(facts.openedAt)
  if (expiresAt !== undefined) request.expiresAt = iso(expiresAt)
  const { changed, changedAt = 0 } = facts
  if (changed?.type === 'request.decided') {
    const { by, undoMs = 0 } = changed
    request.decision = {
      ...shownDecision(changed.decision),
      by: shownActor(by),
      at: iso(changedAt),
      effectiveAt: iso(changedAt + undoMs),
    }
  }
  if (changed?.type === 'request.answered') {
    request.answer = { value: cloneJson(changed.answer), by: shownActor(changed.by), at: iso(changedAt) }
  }
  if (changed?.type === 'request.closed' && changed.reason !== undefined) request.closedReason = changed.reason
  if (facts.escalated) passOn(request)
  if (changed?.type === 'request.reopened' && changed.problems) request.problems = [...changed.problems]
  return request
}

/** An open request of a folded thread, as listed in its interruptions. */
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

/** A stored decision, with its public fields only. */
export function shownDecision(given: Decision): Decision {
  const shape = decision().options.find((one) => one.shape.type.value === given.type)?.shape
  return named(shape ?? { type: true }, given as JsonObject) as Decision
}

/** An actor, with its public fields only. */
export function shownActor(by: Actor): Actor {
  return named(actor().shape, by as JsonObject) as Actor
}

function shownQuestion(asked: Question): Question {
  const shown = named(question().shape, asked as unknown as JsonObject) as unknown as Question
  if (shown.options) shown.options = shown.options.map((one) => named(questionOption().shape, one) as typeof one)
  return shown
}

/** A copy with only the keys that a schema names. */
function named(shape: object, value: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const key of Object.keys(shape)) if (Object.hasOwn(value, key)) copy[key] = cloneJson(value[key] as JsonValue)
  return copy
}

/** Removes the deadline of an escalated request. */
function passOn(request: HitlRequest): void {
  request.escalated = true
  delete request.expiresAt
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
