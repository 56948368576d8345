import { openRequests } from '../../core/queries.ts'
import type { AskedRequest, ThreadState } from '../../core/state.ts'
import { ANSWER_MEMBERS, type Answer } from '../../desk/answer/answer-shape.ts'
import { type AnswerContent, type Keyed, keyedContent } from '../../desk/answer/repeats.ts'
import { parseKey } from '../../desk/record/on-record.ts'
import { type Actor, type Decision, toActor } from '../../protocol/decision.ts'
import { DecisionInvalid, DecisionUnbound, HitlNoPendingRequest } from '../../protocol/errors/errors.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ShownRequest } from './shown.ts'

/** The options of an answer at a state or a thread. */
export interface AnswerOptions {
  /** Who decides; a string names a person. Set it from a verified credential, never from client input. */
  by?: string | Actor
  /** Stored with the answer; never shown to the model. */
  comment?: string
  /** How long a decision can be withdrawn before it takes effect. */
  undoSeconds?: number
  /** Makes retries safe, in any process: the same key with the same content settles once per person and thread. */
  idempotencyKey?: string
}

/** Binds an answer to exactly what its author read. */
export interface AnswerBinding {
  /** The version that was read. */
  version?: number
  /** The digest that was read. */
  digest?: string
}

/** One answer that names its request. */
export type NamedAnswer = AnswerOptions &
  AnswerBinding & { always?: boolean | GrantOptions } & ({ id: string } | { questionId: string }) &
  ({ decision: Decision | JsonObject } | { answer: unknown })

/**
 * Several answers, all or none. Each is a decision, a boolean, `{ decision }` or `{ answer }`. It may name its request with `id` or `questionId`, and
 * add `version` and `digest`. If none names a request, they are for the requests that this object has shown, in order.
 */
export interface AnswerBatch extends AnswerOptions {
  decisions: readonly (Decision | JsonObject | boolean)[]
  always?: boolean | GrantOptions
  /** Apply them to the requests that are open now, in order. Without an `idempotencyKey` a retry looks like a new answer. */
  unbound?: boolean
}

/** An answer that may not name its request. */
export type LooseAnswer = Omit<Answer, 'by' | 'idempotencyKey' | 'records'>

/** Reads a batch. */
export function readBatch({ decisions }: Pick<AnswerBatch, 'decisions'>): LooseAnswer[] {
  if (!Array.isArray(decisions))
    throw new DecisionInvalid('Pass { decisions: [ … ] }, one for each interruption, in order.')
  return decisions.map(readItem)
}

function readItem(item: unknown): LooseAnswer {
  if (item === undefined) throw new DecisionInvalid('A decision of the batch is missing.')
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { answer: item }
  const entries = Object.entries(item)
  if (Object.hasOwn(item, 'decision') || Object.hasOwn(item, 'answer')) {
    const unknown = entries.find(([key]) => !isMember(key))
    if (unknown) throw new DecisionInvalid(`An answer has no member "${unknown[0]}".`)
    return item as LooseAnswer
  }
  const beside = Object.fromEntries(entries.filter(([key]) => isMember(key)))
  return { ...beside, decision: Object.fromEntries(entries.filter(([key]) => !isMember(key))) }
}

function isMember(key: string): boolean {
  return (ANSWER_MEMBERS as readonly string[]).includes(key)
}

/** The request id or question id that an answer names, if any. */
export function nameOf({ request, id, questionId }: LooseAnswer): string | null {
  // Any value of `request`, even an invalid one, is meant to name a request.
  if (request !== undefined)
    return typeof request === 'string' ? request : String((request as { id?: unknown } | null)?.id)
  return id ?? questionId ?? null
}

/** The idempotency key with the content of the answers as given, before they are bound to requests. `forAll` holds the batch's defaults. */
export function keyOfGiven(
  key: string | undefined,
  answers: readonly LooseAnswer[],
  forAll: Pick<AnswerBatch, 'comment' | 'always' | 'undoSeconds'>,
): Keyed | undefined {
  const contents = answers.map(
    (answer): AnswerContent => ({
      name: nameOf(answer),
      said: answer.decision === undefined ? answer.answer : answer.decision,
      always: answer.always ?? forAll.always,
      comment: answer.comment ?? forAll.comment,
      undoSeconds: answer.undoSeconds ?? forAll.undoSeconds,
    }),
  )
  return keyedContent(parseKey(key), contents)
}

/** Determines which requests answers without names are for. */
export interface Target {
  state: ThreadState
  shown: readonly ShownRequest[] | undefined
  unbound: boolean | undefined
  /** A single answer is for the first request. */
  isBatch: boolean
}

/** Whether these answers name their requests. Throws if only some do. */
export function areNamed(answers: readonly LooseAnswer[]): boolean {
  const named = answers.filter((answer) => nameOf(answer) !== null)
  if (named.length > 0 && named.length < answers.length)
    throw new DecisionInvalid('Either all decisions of a batch name their request, or none does.')
  return named.length > 0
}

/**
 * Returns the requests that answers without names are for, in order: those that were shown, if no others are open, or with `unbound` those that are
 * open now. Shown requests that are settled by now stay: the desk refuses them and says who settled them.
 */
export function targetsOf(target: Target): readonly ShownRequest[] {
  const { state, shown, unbound, isBatch } = target
  const open = openRequests(state).map(toShown)
  const ids = open.map(({ id }) => id)
  const seen = new Set(shown?.map(({ id }) => id))
  const isShown = (id: string) => seen.has(id)
  if (!isBatch && open.length === 0 && (unbound || !shown?.length)) throw new HitlNoPendingRequest()
  if (unbound) return isBatch ? open : open.slice(0, 1)
  if (!shown && open.length === 0) return []
  if (!shown || (shown.length === 0 && open.length > 0))
    throw new DecisionUnbound(state.threadId, ids, 'this object has not shown the open requests')
  if (!isBatch) return shown.slice(0, 1)
  if (!ids.every(isShown) && ids.some(isShown))
    throw new DecisionUnbound(state.threadId, ids, 'requests have opened that this object has not shown')
  return shown
}

function toShown({ opened, version }: AskedRequest): ShownRequest {
  return { id: opened.id, version }
}

/** Binds answers to requests, in order. */
export function bindAnswers(answers: readonly LooseAnswer[], targets: readonly ShownRequest[]): LooseAnswer[] {
  if (answers.length !== targets.length)
    throw new DecisionInvalid(`${answers.length} decisions were passed for ${targets.length} interruptions.`)
  return answers.map((answer, i) => {
    const { id, version } = targets[i] as ShownRequest
    return { ...answer, id, version }
  })
}

/** Adds the options of a batch to each answer. `always` and `undoSeconds` apply to decisions only, not to a `confirm` or an `ask`. */
export function withOptions(
  answers: readonly LooseAnswer[],
  { by, comment, always, undoSeconds }: AnswerOptions & { always?: boolean | GrantOptions | undefined },
  state: ThreadState,
): Answer[] {
  const kinds = new Map<string | null, AskedRequest['opened']['kind']>()
  for (const { opened } of openRequests(state)) {
    for (const name of [opened.id, opened.questionId]) if (!kinds.has(name)) kinds.set(name, opened.kind)
  }
  return answers.map((answer) => {
    const kind = kinds.get(nameOf(answer)) ?? 'approve'
    const deciding = kind === 'approve' ? { ...given({ always, undoSeconds }) } : {}
    return { ...given({ comment }), ...deciding, ...answer, by: toActor(by ?? 'local') }
  })
}

function given<T extends object>(members: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
