import { isReviewer, isThrough, listsOf } from '../../core/access.ts'
import { type RequestFacts, shownActor, shownDecision } from '../../core/views/request-view.ts'
import { checkAnswer } from '../../protocol/answer.ts'
import { type Actor, type Decision, decision as decisionSchema } from '../../protocol/decision.ts'
import {
  AnswerInvalid,
  DecisionInvalid,
  DecisionNotAllowed,
  HitlStaleAnswer,
  RequestChanged,
  ReviewerNotAllowed,
} from '../../protocol/errors/errors.ts'
import { type GrantTerms, parseAlways } from '../../protocol/grant.ts'
import { type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../../protocol/json/json.ts'
import type { ParsedAnswer } from './answer-shape.ts'

/** How each type of decision is written, for the error message. */
const SHAPES: Readonly<Record<Decision['type'], string>> = {
  approve: "{ type: 'approve' }",
  edit: "{ type: 'edit', args, toolName?, message? }",
  reject: "{ type: 'reject', message? }",
  respond: "{ type: 'respond', message }",
}

/** Parses a decision from outside. Also accepts `edited_action: { name, args }`. */
export function parseDecision(value: unknown): Decision {
  const result = decisionSchema().safeParse(fromSeed(value))
  if (!result.success) {
    const { path, message } = result.error.issues[0] ?? { path: [], message: '' }
    const problem = path.length > 0 ? `${path.join('.')} ${message}` : message
    const shapes = new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.values(SHAPES))
    throw new DecisionInvalid(`This is not a decision: ${problem}. Use ${shapes}.`)
  }
  const problem = jsonProblem(result.data, 'decision')
  if (problem) throw new DecisionInvalid(`This decision is not plain JSON: ${problem}.`)
  return withoutBlanks(result.data)
}

/** Drops a blank message. A reject or an edit may have none; a respond needs one. */
function withoutBlanks(decision: Decision): Decision {
  switch (decision.type) {
    case 'approve':
      return decision
    case 'respond':
      if (isBlank(decision.message))
        throw new DecisionInvalid('respond needs a message: it is the result that the model reads.')
      return decision
    case 'reject':
    case 'edit': {
      if (!isBlank(decision.message)) return decision
      const { message: _blank, ...rest } = decision
      return rest
    }
    default:
      return decision satisfies never
  }
}

function isBlank(words: string | undefined): boolean {
  return words !== undefined && words.trim() === ''
}

/** Parses a decision that may be a standing one: `always` is inside it or beside it. */
export function parseStanding(given: { decision: unknown; always?: unknown }): {
  decision: Decision
  terms: GrantTerms | undefined
} {
  const { always, ...plain } = isObject(given.decision) ? given.decision : {}
  const decision = parseDecision(isObject(given.decision) ? plain : given.decision)
  return { decision, terms: parseAlways(given.always === undefined ? always : given.always, decision) }
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fromSeed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || (value as { type?: unknown }).type !== 'edit') return value
  const { edited_action, editedAction, ...rest } = value as { edited_action?: JsonObject; editedAction?: JsonObject }
  const action = edited_action ?? editedAction
  return action ? { ...rest, toolName: action.name, args: action.args } : value
}

/** Parses the answer to a `confirm` or an `ask`. */
export function parseReply(
  { opened }: RequestFacts,
  given: ParsedAnswer,
  { kind, unchecked = false }: { kind: 'confirm' | 'ask'; unchecked?: boolean | undefined },
): JsonValue {
  const { questionId, questions } = opened
  if (!('answer' in given.said)) throw new AnswerInvalid(questionId, `a ${kind} takes an answer, not a decision`)
  if ((given.always !== undefined && given.always !== false) || given.undoSeconds > 0) {
    throw new DecisionInvalid(
      `always and undoSeconds go with decisions about a call, not with the answer to a ${kind}.`,
    )
  }
  if (unchecked) return given.said.answer as JsonValue
  return checkAnswer({ questionId, kind, ...(questions ? { questions } : {}) }, given.said.answer)
}

/** The members of an answer that bind it to a version or a call. */
type Meant = Partial<Pick<ParsedAnswer, 'version' | 'digest' | 'shown' | 'copy'>>

/**
 * Whether an answer is fresh, or was already given by the same person (`same`). Throws if the request is settled otherwise, or is not the version or
 * the call that the answer names. Changes nothing.
 */
export function checkAnswerable(facts: RequestFacts, answer: Meant, same: boolean): 'fresh' | 'already' {
  const { opened, status, version } = facts
  const isMeant = isFaithful(facts, answer)
  if (status === 'decided' && same && isMeant && [undefined, version - 1].includes(answer.version)) return 'already'
  if (status !== 'open') throw stale(facts)
  if (!isMeant) throw new RequestChanged({ ...opened, version })
  if (answer.version !== undefined && answer.version !== version) throw stale(facts)
  return 'fresh'
}

/** Throws unless this person may give a decision of this type. The request then stays open. */
export function checkAllowed(facts: RequestFacts, type: Decision['type'], by: Actor): void {
  const { opened } = facts
  if (!opened.allowedDecisions.includes(type)) throw new DecisionNotAllowed(opened, type, opened.allowedDecisions)
  checkReviewer(facts, by)
}

/** Throws unless this person is named in every list of the request's reviewers, and came through a door that it accepts. */
export function checkReviewer({ opened }: RequestFacts, by: Actor): void {
  if (!isThrough(by, opened.via)) throw new ReviewerNotAllowed(opened.id, by.id, opened.via)
  if (!isReviewer(by, listsOf(opened))) throw new ReviewerNotAllowed(opened.id, by.id)
}

/** Whether a request matches the digest or the copy that an answer names. */
function isFaithful({ opened }: RequestFacts, { digest, shown, copy = {} }: Meant): boolean {
  if (digest !== undefined && digest !== opened.digest) return false
  if (shown !== undefined && shown !== opened.shown) return false
  if (copy.digest !== undefined && copy.digest !== opened.digest) return false
  if (copy.toolName !== undefined && copy.toolName !== opened.toolName) return false
  return copy.args === undefined || jsonEqual(copy.args, opened.args)
}

/** Whether a request was settled with this answer by this person. */
export function isSame({ changed }: RequestFacts, said: Decision | { answer: JsonValue }, by: Actor): boolean {
  switch (changed?.type) {
    case 'request.decided':
      return (
        !('answer' in said) &&
        jsonEqual(changed.decision as JsonObject, said as JsonObject) &&
        sameActor(changed.by, by)
      )
    case 'request.answered':
      return 'answer' in said && jsonEqual(changed.answer, said.answer) && sameActor(changed.by, by)
    default:
      return false
  }
}

function sameActor(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id
}

/** The error for an answer to a request that is settled or at another version. */
export function stale(facts: RequestFacts): HitlStaleAnswer {
  const { changed, changedAt } = facts
  const settled = { id: facts.opened.id, status: facts.status, version: facts.version }
  if (!changed || !('by' in changed) || changed.type === 'call.released') return new HitlStaleAnswer(settled)
  const at = new Date(changedAt ?? 0).toISOString()
  return new HitlStaleAnswer({
    ...settled,
    by: shownActor(changed.by),
    at,
    ...(changed.type === 'request.decided' ? { decision: shownDecision(changed.decision) } : {}),
  })
}
