import type { RecordChange } from '../../ports/records.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import { DecisionInvalid } from '../../protocol/errors/errors.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { parseTraceparent, type SpanLink } from '../../protocol/trace-context.ts'
import type { RequestRef } from '../find.ts'
import { parseActor, parseKey, parseUndo, parseWords } from '../record/on-record.ts'

/** One answer to one request: the shape that every door takes. It names the request as `request`, `id` or `questionId`. */
export interface Answer {
  /** Its id, or a copy of it. A copy also binds the version and the call that it shows. */
  request?: RequestRef
  id?: string
  /** Its id inside a thread. At a desk of all threads it needs `threadId`. */
  questionId?: string
  threadId?: string
  /** The version that was read. Left out, the answer applies to the current version. */
  version?: number
  /** The digest that was read: the answer applies to exactly this call. */
  digest?: string
  /** The `shown` of the request, if the person saw the call as the request says. Recorded with the decision. */
  shown?: string
  /** To an `approve` request. */
  decision?: unknown
  /** To a request of any kind: a boolean to `confirm`, an object of strings to `ask`, a decision to `approve`. */
  answer?: unknown
  /** Who decides; a string names a person. Take it from a verified credential, never from a client's input. */
  by: string | Actor
  /** For the record; never shown to the model. */
  comment?: string
  /** Also decides later calls of the same tool: by the same agent in this run, unless it says otherwise. */
  always?: boolean | GrantOptions
  /** How long the decision can be withdrawn before it takes effect. */
  undoSeconds?: number
  /** Makes retries safe: the same key with the same content is settled once, for this person in this thread. */
  idempotencyKey?: string
  /** The W3C `traceparent` of who decides, for OpenTelemetry. Used where no span is active; an invalid one is ignored. */
  traceparent?: string | undefined
  /** Records to write in the same transaction. If one of them refuses, nothing is stored: `IdempotencyConflict`. */
  records?: readonly RecordChange[]
}

/** The members of an answer except its author. */
export const ANSWER_MEMBERS = [
  'request',
  'id',
  'questionId',
  'threadId',
  'version',
  'digest',
  'shown',
  'decision',
  'answer',
  'comment',
  'always',
  'undoSeconds',
] as const

/** An answer whose members are valid. Whether it fits its request is checked later. */
export interface ParsedAnswer {
  ref: RequestRef
  threadId: string | undefined
  version: number | undefined
  digest: string | undefined
  shown: string | undefined
  copy: Partial<HitlRequest> | undefined
  said: { decision: unknown } | { answer: unknown }
  always: unknown
  by: Actor
  comment: string | undefined
  undoSeconds: number
  idempotencyKey: string | undefined
  records: readonly RecordChange[]
  /** The span of who decides. */
  trace: SpanLink | undefined
}

/** Parses an answer from outside. Throws `DecisionInvalid`. */
export function parseAnswer(given: Answer): ParsedAnswer {
  requireKnown('An answer', given, [...ANSWER_MEMBERS, 'by', 'idempotencyKey', 'records', 'traceparent'])
  const ref = refOf(given)
  const copy = typeof ref === 'string' ? undefined : ((ref as Partial<HitlRequest> | null) ?? undefined)
  return {
    ref,
    threadId: given.threadId,
    version: parseVersion(given.version) ?? shownVersion(copy),
    digest: parseWords('digest', given.digest),
    shown: parseWords('shown', given.shown),
    copy,
    said: saidIn(given),
    always: given.always,
    by: parseActor(given.by),
    comment: parseWords('comment', given.comment),
    undoSeconds: parseUndo(given.undoSeconds),
    idempotencyKey: parseKey(given.idempotencyKey),
    records: given.records ?? [],
    trace: parseTraceparent(given.traceparent),
  }
}

/** The decision or answer. An `undefined` answer is refused later, when it is checked against its request. */
function saidIn(given: Answer): ParsedAnswer['said'] {
  const { decision, answer } = given
  if (decision !== undefined && answer === undefined) return { decision }
  if (decision === undefined && Object.hasOwn(given, 'answer')) return { answer }
  if (decision === undefined && Object.hasOwn(given, 'decision')) return { decision }
  throw new DecisionInvalid('Pass decision for an approve request, or answer for a confirm or an ask.')
}

function refOf({ request, id, questionId }: Pick<Answer, 'request' | 'id' | 'questionId'>): RequestRef {
  const [ref, ...more] = [request, id, questionId].filter((name) => name !== undefined)
  if (more.length > 0) throw new DecisionInvalid('Name the request once: as request, id or questionId.')
  if (ref === undefined) throw new DecisionInvalid('Name the request: { id } or { questionId }.')
  return ref
}

function parseVersion(version: unknown): number | undefined {
  if (version === undefined || (typeof version === 'number' && Number.isSafeInteger(version))) return version
  throw new DecisionInvalid('version must be the number that the request shows.')
}

/** The version of a copy, if it shows an open request. For a settled copy the desk compares the answer with the stored decision. */
function shownVersion(copy: Partial<HitlRequest> | undefined): number | undefined {
  return copy?.status === undefined || copy.status === 'open' ? copy?.version : undefined
}
