import { type RequestFacts, shownActor, shownDecision } from '../core/request-view.ts'
import { type Actor, type Decision, decision as decisionSchema } from '../protocol/decision.ts'
import {
  DecisionInvalid,
  DecisionNotAllowed,
  HitlStaleAnswer,
  RequestChanged,
  ReviewerNotAllowed,
} from '../protocol/errors.ts'
import { type GrantTerms, parseAlways } from '../protocol/grant.ts'
import { type JsonObject, jsonEqual, jsonProblem } from '../protocol/json.ts'
import type { HitlRequest } from '../protocol/request.ts'

/** Reads a decision from outside. The seed's `edited_action: { name, args }` is understood too. */
export function parseDecision(value: unknown): Decision {
  const result = decisionSchema.safeParse(fromSeed(value))
  if (!result.success) {
    const issue = result.error.issues[0]
    throw new DecisionInvalid(
      `This is not a decision: ${issue?.path.join('.') || 'it'} ${issue?.message ?? ''}. Use { type: 'approve' }, { type: 'edit', args, message? }, { type: 'reject', message? } or { type: 'respond', message }.`,
    )
  }
  const problem = jsonProblem(result.data, 'decision')
  if (problem) throw new DecisionInvalid(`This decision is not plain JSON: ${problem}.`)
  return result.data
}

/** Reads a decision that may be a standing one: `always` goes with it, or beside it. */
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

/** What a request says to a decision: fresh, or already given by the same person. Anything else throws and changes nothing. */
export function checkAnswerable(
  facts: RequestFacts,
  answer: { decision: Decision; by: Actor; version?: number; copy?: Partial<HitlRequest> },
): 'fresh' | 'already' {
  const { opened, changed } = facts
  if (facts.status === 'decided' && changed?.type === 'request.decided') {
    const same =
      jsonEqual(changed.decision as JsonObject, answer.decision as JsonObject) && sameActor(changed.by, answer.by)
    if (same && (answer.version === undefined || answer.version === facts.version - 1)) return 'already'
  }
  if (facts.status !== 'open' || (answer.version !== undefined && answer.version !== facts.version)) throw stale(facts)
  if (!opened.allowedDecisions.includes(answer.decision.type)) {
    throw new DecisionNotAllowed(opened.id, answer.decision.type, opened.allowedDecisions)
  }
  if (opened.reviewers && !opened.reviewers.includes(answer.by.id))
    throw new ReviewerNotAllowed(opened.id, answer.by.id)
  if (answer.copy && !isFaithful(facts, answer.copy)) throw new RequestChanged(opened.id)
  return 'fresh'
}

function isFaithful({ opened }: RequestFacts, copy: Partial<HitlRequest>): boolean {
  if (copy.digest !== undefined && copy.digest !== opened.digest) return false
  if (copy.toolName !== undefined && copy.toolName !== opened.toolName) return false
  return copy.args === undefined || jsonEqual(copy.args, opened.args)
}

function sameActor(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id
}

/** The refusal of an answer to a request that is settled, or is at another version. */
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
