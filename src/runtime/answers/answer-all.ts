import { toHitlRequest } from '../../core/views/request-view.ts'
import { decide } from '../../desk/answer/decide.ts'
import { findRepeat, type Keyed } from '../../desk/answer/repeats.ts'
import { findRequest } from '../../desk/find.ts'
import type { DeskOptions } from '../../desk/options.ts'
import { parseActor } from '../../desk/record/on-record.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import { DecisionInvalid } from '../../protocol/errors/errors.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { Journal } from '../journal/journal.ts'
import {
  type AnswerBatch,
  type AnswerBinding,
  type AnswerOptions,
  areNamed,
  bindAnswers,
  keyOfGiven,
  type LooseAnswer,
  type NamedAnswer,
  readBatch,
  targetsOf,
  withOptions,
} from './answers.ts'
import type { Shown, ShownRequest } from './shown.ts'

/** The state or thread at which answers are given. */
export interface AnswerPlace {
  journal: Journal
  desk: DeskOptions
  shown: Shown
}

const OPTIONS = ['by', 'comment', 'always', 'undoSeconds', 'idempotencyKey']
const ONE = ['request', 'id', 'questionId', 'version', 'digest', 'decision', 'answer']

/** One answer or several. A single one may leave out the name of its request. */
export type GivenAnswers = (NamedAnswer | AnswerBatch | (AnswerOptions & AnswerBinding & { answer: unknown })) & {
  unbound?: boolean
}

/**
 * Answers one request or several, all or none. Answers that name no request are for `requests`: those shown when the answer was given. If the
 * idempotency key is already known, resolves to the requests that it settled before.
 */
export async function answerAll(
  place: AnswerPlace,
  given: GivenAnswers,
  { what, requests }: { what: string; requests: readonly ShownRequest[] | undefined },
): Promise<HitlRequest[]> {
  const { journal, desk, shown } = place
  const answers = readAnswers(what, given)
  const by = parseActor(given.by ?? 'local')
  const isBatch = 'decisions' in given
  const keyed = keyOfGiven(given.idempotencyKey, answers, isBatch ? given : {})
  const before = keyed && (await findAnswered(place, keyed, by))
  if (before) return before
  const named = areNamed(answers)
  if (!named) await journal.catchUp()
  const { unbound } = given
  let bound = answers
  try {
    const targets = named ? undefined : targetsOf({ state: journal.state, shown: requests, unbound, isBatch })
    if (targets) bound = bindAnswers(answers, targets)
    if (targets) shown.use(targets)
  } catch (error) {
    // The same answer may have been stored since the lookup above: then its requests are no longer open.
    const meanwhile = keyed && (await findAnswered(place, keyed, by))
    if (meanwhile) return meanwhile
    throw error
  }
  const options = isBatch ? given : { by }
  const decided = await decide(
    { ...desk, shown: (id) => shown.has(id) },
    withOptions(bound, options, journal.state),
    keyed,
  )
  if (named) shown.answered(decided.map(({ id }) => id))
  return decided
}

/** Reads one answer or a batch. `what` names the caller in errors. */
export function readAnswers(what: string, given: object | undefined): LooseAnswer[] {
  if (typeof given !== 'object' || given === null)
    throw new DecisionInvalid('Pass { decisions: [ … ] } or { id, decision }.')
  if ('decisions' in given) {
    requireKnown(what, given, ['decisions', 'unbound', ...OPTIONS])
    return readBatch(given as AnswerBatch)
  }
  requireKnown(what, given, ['unbound', ...ONE, ...OPTIONS])
  const { by: _by, idempotencyKey: _key, unbound: _unbound, ...answer } = given as LooseAnswer & Record<string, unknown>
  return [answer]
}

/** The requests that were answered with the same key before, in any process. */
async function findAnswered(
  { desk, journal }: AnswerPlace,
  keyed: Keyed,
  by: Actor,
): Promise<HitlRequest[] | undefined> {
  const { requests } = await findRepeat(desk.store, journal.state.threadId, { ...keyed, by })
  if (requests.length === 0) return undefined
  return Promise.all(requests.map(async (id) => toHitlRequest(await findRequest(desk.store, id))))
}
