import { projectGrants } from '../../core/grants.ts'
import { planRejectOuter } from '../../core/plan/calls.ts'
import { type CheckedDecision, planDecision } from '../../core/plan/decide.ts'
import { planAnswered } from '../../core/plan/waits.ts'
import { type RequestFacts, toHitlRequest } from '../../core/views/request-view.ts'
import type { Tracer } from '../../ports/tracer.ts'
import { editOf, rejects } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import {
  DecisionInvalid,
  EditInvalid,
  EditNotJudged,
  InputInvalid,
  PolicyFailed,
} from '../../protocol/errors/errors.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { loadOtel } from '../../tracing/otel.ts'
import { changesInTime, writeDeadlines } from '../expiry/expiry.ts'
import { findRequest } from '../find.ts'
import type { DeskOptions } from '../options.ts'
import { commit } from '../record/commit.ts'
import { foldThread } from '../record/fold-thread.ts'
import { markOf } from '../record/mark.ts'
import { requireRecords } from '../record/records.ts'
import { traceDecisions } from '../record/trace.ts'
import { type Answer, type ParsedAnswer, parseAnswer } from './answer-shape.ts'
import { checkAllowed, checkAnswerable, checkReviewer, isSame, parseReply, parseStanding } from './check.ts'
import { findRepeat, type Keyed, keyedContent, type RestsOn } from './repeats.ts'

/**
 * Records answers to requests of any kind, all or none, in one append (G4). The first to be stored wins; the loser gets `HitlStaleAnswer`, which
 * says who decided what and when. The same answer by the same person is accepted as done. Resolves to the requests as decided.
 *
 * `keyed` is passed if the answers did not name their requests themselves.
 */
export async function decide(
  options: DeskOptions,
  given: readonly Answer[],
  keyed?: Keyed | undefined,
): Promise<HitlRequest[]> {
  if (given.length === 0) throw new InputInvalid('There is nothing to decide: pass at least one decision.')
  const answers = given.map(parseAnswer)
  if (!options.threadId && given.some(({ questionId, threadId }) => questionId !== undefined && !threadId))
    throw new DecisionInvalid('A questionId is only valid in its thread: pass threadId too, or name the request by id.')
  const repeat = keyed ?? keyOf(answers)
  const tracer = loadOtel()
  const trace = tracer && { tracer, startTime: Date.now() }
  return commit('Deciding', async ({ first }) => {
    const done = await tryToDecide(options, answers, { repeat, first, trace })
    return done && { done }
  })
}

/** The idempotency key of a batch. */
function keyOf(answers: readonly ParsedAnswer[]): Keyed | undefined {
  const [first, ...more] = answers
  if (more.some(({ idempotencyKey }) => idempotencyKey !== first?.idempotencyKey))
    throw new DecisionInvalid('All answers of a batch must have one idempotencyKey.')
  const contents = answers.map(({ ref, said, records: _, ...answer }) => ({
    ...answer,
    name: typeof ref === 'string' ? ref : String(ref?.id),
    said: 'answer' in said ? said.answer : said.decision,
  }))
  return keyedContent(first?.idempotencyKey, contents)
}

/** `undefined`: another writer was first. The next try finds the same answer, or throws an error that names its author. */
async function tryToDecide(
  options: DeskOptions,
  answers: readonly ParsedAnswer[],
  { repeat, first, trace }: Try & { trace: { tracer: Tracer; startTime: number } | undefined },
): Promise<HitlRequest[] | undefined> {
  const before = repeat && (await findAnswered(options, answers, repeat))
  if (before?.requests) return before.requests
  const checked = await Promise.all(answers.map((answer) => check(options, answer, { repeat, first })))
  const threadId = requireOneThread(checked)
  const planned = checked.flatMap((item) => item.entries)
  if (planned.length === 0) return checked.map((item) => toHitlRequest(item.facts))
  const traced =
    trace &&
    traceDecisions(
      trace,
      checked.map((item, index) => ({ ...item, under: answers[index]?.trace })),
    )
  const entries = traced?.entries ?? planned
  const restsOn = before?.restsOn ?? checked.find((item) => item.restsOn)?.restsOn
  const grants = projectGrants(entries)
  const records = answers.flatMap((answer) => answer.records)
  const facts = checked.map((item) => item.facts)
  const outcome = await options.store.append({
    threadId,
    // The search for the key must still hold: nothing may have been appended to the thread since.
    ...restsOn,
    entries: entries.map((entry) => JSON.stringify(entry)),
    requests: changesInTime(
      entries,
      facts.filter(({ status }) => status === 'open'),
    ),
    ...(grants.length > 0 ? { grants } : {}),
    ...(records.length > 0 ? { records } : {}),
    ...markOf(entries, facts),
  })
  requireRecords(outcome)
  if (outcome.ok) traced?.stored()
  if (outcome.ok)
    return checked.map(({ facts, entries: [changed] }) =>
      toHitlRequest(changed ? settled(facts, changed, outcome.at) : facts),
    )
  await writeDeadlines(options.store, facts, outcome)
  return undefined
}

/** The requests that were answered before with the same key, if any. */
async function findAnswered(
  options: DeskOptions,
  answers: readonly ParsedAnswer[],
  repeat: Keyed,
): Promise<{ restsOn: RestsOn; requests?: HitlRequest[] }> {
  const [answer] = answers as [ParsedAnswer]
  const threadId = options.threadId ?? (await findAnswer(options, answer)).threadId
  const { requests, ...restsOn } = await findRepeat(options.store, threadId, { ...repeat, by: answer.by })
  if (requests.length === 0) return { restsOn }
  const facts = await Promise.all(requests.map((id) => findRequest(options.store, id)))
  return { restsOn, requests: facts.map(toHitlRequest) }
}

/** Throws unless the answers are for different requests of one thread. */
function requireOneThread(checked: readonly Checked[]): string {
  const [threadId, ...others] = new Set(checked.map(({ facts }) => facts.threadId))
  if (threadId === undefined || others.length > 0)
    throw new InputInvalid('Decisions made together must belong to one thread.')
  if (new Set(checked.map(({ facts }) => facts.opened.id)).size !== checked.length)
    throw new DecisionInvalid('The same request is decided twice in one batch.')
  return threadId
}

/** One try to store answers. */
interface Try {
  readonly repeat: Keyed | undefined
  /** It is the first one. */
  readonly first: boolean
}

interface Checked {
  facts: RequestFacts
  /** Empty if the same answer was stored before. */
  entries: Entry[]
  /** The version and head of the thread that the entries depend on. */
  restsOn?: RestsOn
}

function findAnswer(options: DeskOptions, { ref, threadId, digest }: ParsedAnswer): Promise<RequestFacts> {
  const { store, shown } = options
  return findRequest(store, ref, {
    threadId: options.threadId ?? threadId,
    isShown: shown,
    digest,
  })
}

async function check(options: DeskOptions, answer: ParsedAnswer, { repeat, first }: Try): Promise<Checked> {
  const known = first ? options.known?.(answer.ref) : undefined
  const facts = known ?? (await findAnswer(options, answer))
  const { opened, version } = facts
  const { by, comment } = answer
  const idempotency = repeat ? { idempotency: { key: repeat.key, content: repeat.content } } : {}
  if (opened.kind !== 'approve') {
    const value = parseReply(facts, answer, { kind: opened.kind, unchecked: options.unchecked })
    if (checkAnswerable(facts, answer, isSame(facts, { answer: value }, by)) === 'already')
      return { facts, entries: [] }
    checkReviewer(facts, by)
    return { facts, entries: [planAnswered({ opened, version }, { value, by, comment, ...idempotency })] }
  }
  const { decision, terms } = parseStanding({
    decision: 'answer' in answer.said ? answer.said.answer : answer.said.decision,
    always: answer.always,
  })
  // An answer to the version before the decision means that version; its author gets `HitlStaleAnswer`.
  const seen = answer.version === undefined || answer.version === version
  const outer = seen ? await rejectOuter(options, facts, { decision, by, comment, ...idempotency }) : undefined
  if (outer && (terms || answer.undoSeconds > 0)) {
    throw new DecisionInvalid(
      'A running call can only be rejected once and immediately: leave out always and undoSeconds.',
    )
  }
  if (outer) {
    checkReviewer(facts, by)
    return { facts, ...outer }
  }
  if (checkAnswerable(facts, answer, isSame(facts, decision, by)) === 'already') return { facts, entries: [] }
  checkAllowed(facts, decision.type, by)
  if (terms && !isAboutCall(opened)) {
    throw new DecisionInvalid('always covers later calls of a tool, but this request is not about a call.')
  }
  if (answer.undoSeconds > 0 && !canBeUndone(opened)) {
    throw new DecisionInvalid(
      'undoSeconds is only for decisions on calls and final answers. This answer takes effect at once.',
    )
  }
  const checked: CheckedDecision = { opened, version, decision, by, ...idempotency }
  if (comment !== undefined) checked.comment = comment
  if (answer.shown !== undefined) checked.shown = answer.shown
  if (terms) checked.grant = { id: options.newId(), ...terms }
  if (answer.undoSeconds > 0) checked.undoMs = answer.undoSeconds * 1000
  const edited = await checkEdit(options, facts, checked)
  if (edited) checked.edited = edited
  return { facts, entries: planDecision(checked) }
}

/** Rejects a released call whose nested run waits, together with the open requests in it. `undefined`: it is not such a call. */
async function rejectOuter(
  { store }: DeskOptions,
  { status, changed, opened, threadId }: RequestFacts,
  given: Parameters<typeof planRejectOuter>[2],
): Promise<Pick<Checked, 'entries' | 'restsOn'> | undefined> {
  const wasApproved = status === 'decided' && changed?.type === 'request.decided' && !rejects(changed.decision)
  if (!wasApproved || opened.call === undefined || opened.ordinal !== undefined || !rejects(given.decision))
    return undefined
  const { state, head } = await foldThread(store, threadId)
  const entries = planRejectOuter(state, opened.call, given)
  return entries.length > 0 ? { entries, restsOn: { version: state.version, head } } : undefined
}

/** The exact call that an edit runs, if it can be determined here. Throws if the edit does not fit. */
async function checkEdit(
  options: DeskOptions,
  facts: RequestFacts,
  { decision, by }: CheckedDecision,
): Promise<CheckedDecision['edited']> {
  const { id, ordinal } = facts.opened
  const edit = editOf(decision)
  if (!edit || ordinal !== undefined) return undefined
  const result = await options.checkEdit(facts, edit, by).catch((error: unknown) => {
    throw error instanceof PolicyFailed ? new EditNotJudged(id, error.problem, error) : error
  })
  if (result && !result.ok) throw new EditInvalid(id, result.problems)
  return result?.edited
}

/** False for questions of a body or an application, and for the gate before a final answer. */
export function isAboutCall({ run, call, definition, ordinal }: RequestFacts['opened']): boolean {
  return run !== undefined && call !== undefined && definition !== undefined && ordinal === undefined
}

/** False for questions of a body or an application: their answers take effect at once. */
export function canBeUndone({ gate, call, ordinal }: RequestFacts['opened']): boolean {
  return gate === true || (call !== undefined && ordinal === undefined)
}

function settled(facts: RequestFacts, changed: Entry, at: number): RequestFacts {
  return { ...facts, status: 'decided', version: facts.version + 1, changed, changedAt: at }
}
