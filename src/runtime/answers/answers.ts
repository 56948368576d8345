import { type AskedRequest, openRequests, type ThreadState } from '../../core/state.ts'
import { ANSWER_MEMBERS, type Answer } from '../../desk/answer-shape.ts'
import { parseKey } from '../../desk/on-record.ts'
import { type AnswerContent, type Keyed, keyedContent } from '../../desk/repeats.ts'
import { type Actor, type Decision, toActor } from '../../protocol/decision.ts'
import { DecisionInvalid, DecisionUnbound, HitlNoPendingRequest } from '../../protocol/errors/errors.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ShownRequest } from './shown.ts'

/** What goes with an answer at a state or a thread. */
export interface AnswerOptions {
  /** Who decides; a string names a person. Set it from a credential that was checked, never from what a client sends. */
  by?: string | Actor
  /** For the record; never shown to the model. */
  comment?: string
  /** How long a decision can be withdrawn before it takes effect. */
  undoSeconds?: number
  /** Makes a repeat recognisable, in any process: the same key with the same content is settled once, for this person in this thread. */
  idempotencyKey?: string
}

/** What an answer was given for, so that it counts for nothing else. */
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
 * Several answers, all or none. Each is a decision, a boolean, or `{ decision }` or `{ answer }`, and may name its request with `id` or `questionId`
 * beside `version` and `digest`. If none of them does, they are for what this object has shown, in order.
 */
export interface AnswerBatch extends AnswerOptions {
  decisions: readonly (Decision | JsonObject | boolean)[]
  always?: boolean | GrantOptions
  /** They are for whatever is open now, in order. Without an `idempotencyKey` a repeat cannot be told from a new answer. */
  unbound?: boolean
}

/** An answer that may not name its request. */
export type LooseAnswer = Omit<Answer, 'by' | 'idempotencyKey'>

/** Reads a batch as it was given. */
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

/** How an answer names its request, if it does. */
export function nameOf({ request, id, questionId }: LooseAnswer): string | null {
  // Whatever stands in the place of a request is meant to name one.
  if (request !== undefined)
    return typeof request === 'string' ? request : String((request as { id?: unknown } | null)?.id)
  return id ?? questionId ?? null
}

/** The key of answers as they were given, before it is known what they are for, with what was said for all of them. */
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

/** Which requests answers without names are for. */
export interface Target {
  state: ThreadState
  shown: readonly ShownRequest[] | undefined
  unbound: boolean | undefined
  /** One answer that is not in a list is for the first. */
  isBatch: boolean
}

/** Whether any of these answers names its request. Throws if some do and others do not. */
export function areNamed(answers: readonly LooseAnswer[]): boolean {
  const named = answers.filter((answer) => nameOf(answer) !== null)
  if (named.length > 0 && named.length < answers.length)
    throw new DecisionInvalid('Either every decision of a batch names its request, or none does.')
  return named.length > 0
}

/**
 * The requests that answers without names are for, in order: what was shown, if that is all that is open, or with `unbound` what is open now. What was
 * shown and is settled by now is left to the desk, which says by whom.
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
    throw new DecisionUnbound(state.threadId, ids, 'this object has not shown what is open')
  if (!isBatch) return shown.slice(0, 1)
  if (!ids.every(isShown) && ids.some(isShown))
    throw new DecisionUnbound(state.threadId, ids, 'more is open now than this object has shown')
  return shown
}

function toShown({ opened, version }: AskedRequest): ShownRequest {
  return { id: opened.id, version }
}

/** Names the requests that answers are for. */
export function bindAnswers(answers: readonly LooseAnswer[], targets: readonly ShownRequest[]): LooseAnswer[] {
  if (answers.length !== targets.length)
    throw new DecisionInvalid(`${answers.length} decisions were passed for ${targets.length} interruptions.`)
  return answers.map((answer, i) => {
    const { id, version } = targets[i] as ShownRequest
    return { ...answer, id, version }
  })
}

/** Adds what was said for all answers of a batch. What goes with decisions alone is not for the answer to a `confirm` or an `ask`. */
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
