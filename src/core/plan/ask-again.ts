import { decisionTypes } from '../../protocol/decision.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { frameOf } from '../../protocol/ids.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { pickReview, type Review } from '../../protocol/request.ts'
import { fromOutside, pathOf } from '../queries.ts'
import type { Shown } from '../shown.ts'
import type { AskAgainReason, AskedRequest, Call, CallFacts, Release, Run } from '../state.ts'
import { unknownOutcomeDecisions } from './accepted-decisions.ts'

/** The part of a call that its request shows. */
type ShownCall = Pick<Release, 'tool' | 'args' | 'asRun' | 'argsInput'>

/** How people are asked about a call, and the deadline. */
export type AskedReview = Review & Pick<EntryOf<'request.opened'>, 'onTimeout' | 'expiresAt' | 'policies'>

/** Why and how a call is asked about once more. */
export interface AskAgain {
  id: string
  release: ShownCall
  digest: string
  definition: string
  facts: CallFacts
  /** How the request shows it. */
  shown?: Shown
  /** What has changed. */
  details?: JsonObject
  /** The review that policies require now. Default: the review it had before. */
  review?: AskedReview
  now: number
  reason: AskAgainReason
}

/** Asks about a call again: its outcome is unknown, or it is no longer what was allowed. */
export function planAskAgain(run: Run, call: Call, ask: AskAgain): Entry {
  const asked = askedBefore(call)
  return {
    v: 1,
    type: 'request.opened',
    id: ask.id,
    questionId: call.id,
    kind: 'approve',
    run: run.id,
    call: call.key,
    ...fromOutside(run),
    agent: call.agent.id,
    path: pathOf(run, frameOf(call.key)),
    toolName: ask.release.tool,
    toolCallId: call.id,
    ...shownArgs(ask.release),
    definition: ask.definition,
    digest: ask.digest,
    allowedDecisions: [...decisionTypes],
    reason: ask.reason,
    ...ask.facts,
    ...ask.shown,
    ...(asked ? { supersedes: asked.opened.id } : {}),
    ...(ask.review ?? reviewAgain(call, asked, ask)),
    ...(ask.reason === 'unknown_outcome' ? { allowedDecisions: [...unknownOutcomeDecisions] } : {}),
    ...(ask.details ? { details: ask.details } : {}),
  }
}

/** The request on which a call was released or started, or whose answer is acted on. */
function askedBefore({ phase }: Call): AskedRequest | undefined {
  switch (phase.at) {
    case 'released':
    case 'answered':
    case 'started':
      return phase.request
    case 'held':
    case 'judged':
    case 'finished':
    case 'refused':
      return undefined
    default:
      return phase satisfies never
  }
}

/** A call is asked about again with the review that it had, or would have had. */
function reviewAgain(call: Call, asked: AskedRequest | undefined, { now, reason }: AskAgain): Partial<AskedReview> {
  const review = asked?.opened ?? call.review
  if (!review) return {}
  // What has happened does not become known by waiting, so the question has no deadline.
  if (reason === 'unknown_outcome') return pickReview(review)
  const { onTimeout, expiresAt } = asked?.opened ?? {}
  return {
    ...pickReview(review),
    // A call that needs a new review must not run because nobody answered.
    ...(onTimeout === undefined || onTimeout === 'allow' ? {} : { onTimeout }),
    // It gets as much time as the first time.
    ...(expiresAt === undefined || !asked ? {} : { expiresAt: now + (expiresAt - asked.openedAt) }),
  }
}

/** The arguments of a call as its request or release states them. */
export function shownArgs({ args, asRun, argsInput }: ShownCall): {
  args: JsonObject
  asRun?: true
  argsInput?: JsonObject
} {
  return { args, ...(asRun ? { asRun } : {}), ...(argsInput === undefined ? {} : { argsInput }) }
}
