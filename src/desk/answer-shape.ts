import { requireKnown } from '../protocol/checks/known-options.ts'
import type { Actor } from '../protocol/decision.ts'
import { DecisionInvalid } from '../protocol/errors/errors.ts'
import type { GrantOptions } from '../protocol/grant.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { RequestRef } from './find.ts'
import { parseActor, parseKey, parseUndo, parseWords } from './on-record.ts'

/** One answer to one request: the shape that every door takes. It names the request as `request`, `id` or `questionId`. */
export interface Answer {
  /** Its id, or a copy of it. A copy also binds the version and the call that it shows. */
  request?: RequestRef
  id?: string
  /** Its address in a thread; at a desk of many threads `threadId` goes with it. */
  questionId?: string
  threadId?: string
  /** The version that was read. Left out, the answer is to whatever version is there. */
  version?: number
  /** The digest that was read: the answer counts for exactly this call. */
  digest?: string
  /** To an `approve` request. */
  decision?: unknown
  /** To a request of any kind: a boolean to `confirm`, an object of strings to `ask`, a decision to `approve`. */
  answer?: unknown
  /** Who decides; a string names a person. Set it from a credential that was checked, never from what a client sends. */
  by: string | Actor
  /** For the record; never shown to the model. */
  comment?: string
  /** Also decides later calls of the same tool: by the same agent in this run, unless it says otherwise. */
  always?: boolean | GrantOptions
  /** How long the decision can be withdrawn before it takes effect. */
  undoSeconds?: number
  /** Makes a repeat recognisable: the same key with the same content is settled once, for this person in this thread. */
  idempotencyKey?: string
}

/** What an answer is made of, apart from who gives it. */
export const ANSWER_MEMBERS = [
  'request',
  'id',
  'questionId',
  'threadId',
  'version',
  'digest',
  'decision',
  'answer',
  'comment',
  'always',
  'undoSeconds',
] as const

/** An answer whose own members were checked. What it says has to fit its request, which is not known yet. */
export interface ParsedAnswer {
  ref: RequestRef
  threadId: string | undefined
  version: number | undefined
  digest: string | undefined
  copy: Partial<HitlRequest> | undefined
  said: { decision: unknown } | { answer: unknown }
  always: unknown
  by: Actor
  comment: string | undefined
  undoSeconds: number
  idempotencyKey: string | undefined
}

/** Reads an answer from outside. Throws `DecisionInvalid`. */
export function parseAnswer(given: Answer): ParsedAnswer {
  requireKnown('An answer', given, [...ANSWER_MEMBERS, 'by', 'idempotencyKey'])
  const ref = refOf(given)
  const copy = typeof ref === 'string' ? undefined : ((ref as Partial<HitlRequest> | null) ?? undefined)
  return {
    ref,
    threadId: given.threadId,
    version: parseVersion(given.version) ?? shownVersion(copy),
    digest: parseWords('digest', given.digest),
    copy,
    said: saidIn(given),
    always: given.always,
    by: parseActor(given.by),
    comment: parseWords('comment', given.comment),
    undoSeconds: parseUndo(given.undoSeconds),
    idempotencyKey: parseKey(given.idempotencyKey),
  }
}

/** What it says. An answer that is `undefined` is one that does not fit, which the request itself will say. */
function saidIn(given: Answer): ParsedAnswer['said'] {
  const { decision, answer } = given
  if (decision !== undefined && answer === undefined) return { decision }
  if (decision === undefined && Object.hasOwn(given, 'answer')) return { answer }
  if (decision === undefined && Object.hasOwn(given, 'decision')) return { decision }
  throw new DecisionInvalid('Pass what was decided: decision to an approve request, answer to a confirm or an ask.')
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

/** A copy of an open request is answered as it was read. Of a settled one the desk says who was faster, or that it was us. */
function shownVersion(copy: Partial<HitlRequest> | undefined): number | undefined {
  return copy?.status === undefined || copy.status === 'open' ? copy?.version : undefined
}
