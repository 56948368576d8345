import { projectGrants } from '../core/grants.ts'
import { type CheckedDecision, planDecision } from '../core/plan/decide.ts'
import { type RequestFacts, toHitlRequest } from '../core/request-view.ts'
import type { Store } from '../ports/store.ts'
import { type Actor, type Decision, editOf } from '../protocol/decision.ts'
import type { Entry } from '../protocol/entry.ts'
import { DecisionInvalid, EditInvalid, EditNotJudged, InputInvalid, PolicyFailed } from '../protocol/errors.ts'
import type { GrantOptions } from '../protocol/grant.ts'
import { requireKnown } from '../protocol/known-options.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { IdSource } from '../protocol/uuid.ts'
import { checkAnswerable, parseStanding } from './check.ts'
import { commit } from './commit.ts'
import { changesInTime, writeDeadlines } from './expiry.ts'
import { findRequest, type RequestRef } from './find.ts'
import { parseActor, parseUndo, parseWords } from './on-record.ts'

/** What the desk writes through. */
export type DeskStore = Pick<Store, 'append' | 'getRequest' | 'findRequests' | 'tenantId'>

/** One answer to one request. */
export interface Answer {
  request: RequestRef
  decision: unknown
  by: Actor
  /** The version that was read. Left out, the answer is to whatever version is there. */
  version?: number
  /** For the record; never shown to the model. */
  comment?: string
  /** Also decides later calls of the same tool: by the same agent in this run, unless it says otherwise. */
  always?: boolean | GrantOptions
  /** How long the decision can be withdrawn before it takes effect. */
  undoSeconds?: number
}

const KNOWN = ['request', 'decision', 'by', 'version', 'comment', 'always', 'undoSeconds']

/** What an edit would run, or why it cannot. */
export type EditCheck = { ok: true; edited: NonNullable<CheckedDecision['edited']> } | { ok: false; problems: string[] }

/** How a desk works. */
export interface DeskOptions {
  store: DeskStore
  newId: IdSource
  /** Restricts it to one thread; questions ids are understood then. */
  threadId?: string
  /** What is known of an open request without asking the store. It may be out of date: the append is guarded by the version. */
  known?(ref: RequestRef): RequestFacts | undefined
  /** Checks an edit with the agent's code. Without it the driver checks before it releases. */
  checkEdit(
    facts: RequestFacts,
    decision: Extract<Decision, { type: 'edit' }>,
    by: Actor,
  ): Promise<EditCheck | undefined>
}

/**
 * Records decisions, all or none, in one append (G4). The first to be stored wins; the loser gets `HitlStaleAnswer`, which says who
 * decided what and when. The same answer by the same person is accepted as done. Resolves to the requests as decided.
 */
export async function decide(options: DeskOptions, answers: readonly Answer[]): Promise<HitlRequest[]> {
  if (answers.length === 0) throw new InputInvalid('There is nothing to decide: pass at least one decision.')
  return commit('Deciding', async ({ first }) => {
    const checked = await Promise.all(answers.map((answer) => check(options, answer, first)))
    const planned = checked.map((item) => (item.decision ? planDecision(item.decision) : []))
    const entries = planned.flat()
    const threadIds = new Set(checked.map((item) => item.facts.threadId))
    const [threadId] = threadIds
    if (threadIds.size !== 1 || threadId === undefined)
      throw new InputInvalid('Decisions made together must belong to one thread.')
    if (new Set(checked.map((item) => item.facts.opened.id)).size !== checked.length) {
      throw new DecisionInvalid('The same request is decided twice in one batch.')
    }
    if (entries.length === 0) return { done: checked.map((item) => toHitlRequest(item.facts)) }
    const grants = projectGrants(entries)
    const outcome = await options.store.append({
      threadId,
      entries: entries.map((entry) => JSON.stringify(entry)),
      requests: changesInTime(
        entries,
        checked.map((item) => item.facts),
      ),
      ...(grants.length > 0 ? { grants } : {}),
    })
    if (outcome.ok) {
      const done = checked.map(({ facts }, i) => {
        const [changed] = planned[i] ?? []
        return toHitlRequest(changed ? decided(facts, changed, outcome.at) : facts)
      })
      return { done }
    }
    await writeDeadlines(
      options.store,
      checked.map((item) => item.facts),
      outcome,
    )
    // Somebody was faster: read again, which ends in 'already' or in a refusal that names them.
    return undefined
  })
}

interface Checked {
  facts: RequestFacts
  /** Absent if the same decision was stored before. */
  decision?: CheckedDecision
}

async function check(options: DeskOptions, answer: Answer, first: boolean): Promise<Checked> {
  requireKnown('A decision at the desk', answer, KNOWN)
  const { decision, terms } = parseStanding(answer)
  const by = parseActor(answer.by)
  const comment = parseWords('comment', answer.comment)
  const undoSeconds = parseUndo(answer.undoSeconds)
  const known = first ? options.known?.(answer.request) : undefined
  const facts = known ?? (await findRequest(options.store, answer.request, options.threadId))
  const asked = {
    decision,
    by,
    ...(answer.version === undefined ? {} : { version: answer.version }),
    ...(typeof answer.request === 'string' ? {} : { copy: answer.request }),
  }
  if (checkAnswerable(facts, asked) === 'already') return { facts }
  if (terms && !isAboutCall(facts.opened)) {
    throw new DecisionInvalid('always is about later calls of a tool; this request is not about a call.')
  }
  const checked: CheckedDecision = { opened: facts.opened, version: facts.version, decision, by }
  if (comment !== undefined) checked.comment = comment
  if (terms) checked.grant = { id: options.newId(), ...terms }
  if (undoSeconds > 0) checked.undoMs = undoSeconds * 1000
  const edited = editOf(decision)
  if (edited && facts.opened.ordinal === undefined) {
    const edit = await options.checkEdit(facts, edited, by).catch((error: unknown) => {
      throw error instanceof PolicyFailed ? new EditNotJudged(facts.opened.id, error.problem, error) : error
    })
    if (edit && !edit.ok) throw new EditInvalid(facts.opened.id, edit.problems)
    if (edit) checked.edited = edit.edited
  }
  return { facts, decision: checked }
}

/** Not so: what a body asks, the gate before a last answer, and what an application asks by itself. */
function isAboutCall({ run, call, definition, ordinal }: RequestFacts['opened']): boolean {
  return run !== undefined && call !== undefined && definition !== undefined && ordinal === undefined
}

function decided(facts: RequestFacts, changed: Entry, at: number): RequestFacts {
  return { ...facts, status: 'decided', version: facts.version + 1, changed, changedAt: at }
}
