import { type Actor, decisionTypes } from '../../protocol/decision.ts'
import type { Entry, EntryOf, PolicyMark, Review } from '../../protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ToolResult } from '../../protocol/message.ts'
import {
  type AskAgainReason,
  type AskedRequest,
  type Call,
  type CallFacts,
  type Frame,
  findCall,
  framesOf,
  isSettled,
  openRequests,
  openWaits,
  outerRequest,
  pathOf,
  type Release,
  type Run,
  type ThreadState,
} from '../state.ts'
import { errorResult } from './results.ts'
import { planClosed } from './waits.ts'

const SYSTEM: Actor = { kind: 'system', id: 'holdpoint' }

/** Spends a call's release: recorded before its body runs, so that it can never run on it again (G2). */
export function planStart(call: Call, start: Start): Entry[] {
  const started: Entry = { v: 1, type: 'call.started', call: call.key, attempt: call.attempts + 1 }
  if (start.resumable) started.resumable = true
  if (start.frame) started.frame = start.frame
  if (start.policies) started.policies = start.policies
  return [started]
}

/** How a call starts: with a body, which may be one that can be entered again, or with a frame of its own. */
export interface Start {
  resumable: boolean
  frame?: NonNullable<EntryOf<'call.started'>['frame']>
  /** What each policy said, if it was judged once more. */
  policies?: PolicyMark[]
}

/**
 * Records what an attempt came to: guarded by the attempt alone, so a worker that lost its lease may still report. Empty if the attempt
 * was settled by somebody else. A request about its unknown outcome is closed: now it is known.
 */
export function planFinish(state: ThreadState, key: CallKey, done: { attempt: number; result: ToolResult }): Entry[] {
  const call = findCall(state, key)
  if (!call || isSettled(call) || call.attempts !== done.attempt) return []
  const finished: Entry = { v: 1, type: 'call.finished', call: key, attempt: done.attempt, result: done.result }
  switch (call.phase.at) {
    case 'started':
      return [...closeWaits(call), finished]
    case 'held':
      return call.phase.unknown
        ? [
            planClosed(call.phase.request, { status: 'superseded', by: SYSTEM, reason: 'the outcome became known' }),
            finished,
          ]
        : []
    case 'released':
      // Somebody allowed to run it again, but that is not needed any more.
      return call.phase.unknown ? [finished] : []
    default:
      return []
  }
}

/** Refuses calls, each with the one result that the model will read. */
export function planRefusals(
  refusals: readonly {
    call: Call
    cause: EntryOf<'call.refused'>['cause']
    result: ToolResult
    policies?: PolicyMark[]
  }[],
): Entry[] {
  return refusals.flatMap(({ call, cause, result, policies }) => [
    ...closeWaits(call),
    { v: 1, type: 'call.refused', call: call.key, cause, ...(policies ? { policies } : {}), result } as const,
  ])
}

/**
 * Rejects a call that has a run of its own inside: everything that is asked in there is closed with it. What the model reads is written by whoever
 * drives. Empty if the call is over, or was not asked about.
 */
export function planRejectOuter(
  state: ThreadState,
  key: CallKey,
  {
    comment,
    ...given
  }: Pick<EntryOf<'request.decided'>, 'decision' | 'by' | 'idempotency'> & { comment: string | undefined },
): Entry[] {
  const call = findCall(state, key)
  const asked = call && outerRequest(call)
  if (!asked) return []
  const { opened, version } = asked
  const why = { status: 'superseded', by: given.by, reason: 'the call that it is inside of was rejected' } as const
  const inside = openRequests(state).filter((one) => isInside(one, key))
  const said = comment === undefined ? {} : { comment }
  return [
    { v: 1, type: 'request.decided', id: opened.id, call: key, version: version + 1, ...given, ...said },
    ...inside.map((one) => planClosed(one, why)),
  ]
}

function isInside({ opened }: AskedRequest, key: CallKey): boolean {
  const frame = opened.call === undefined ? opened.frame : frameOf(opened.call)
  return frame === key || (frame?.startsWith(`${key}/`) ?? false)
}

/** A call that is over waits for nobody: what its body still asks is closed with it. */
function closeWaits(call: Call): Entry[] {
  const why = { status: 'superseded', by: SYSTEM, reason: 'the call is over' } as const
  return openWaits(call).map(({ request }) => planClosed(request, why))
}

/** What a request about a call shows of it. */
type ShownCall = Pick<Release, 'tool' | 'args' | 'asRun' | 'argsInput'>

/** How people are asked about a call, and until when. */
export type AskedReview = Review & Pick<EntryOf<'request.opened'>, 'onTimeout' | 'expiresAt' | 'policies'>

/** Why and how a call is asked about once more. */
export interface AskAgain {
  id: string
  release: ShownCall
  digest: string
  definition: string
  facts: CallFacts
  /** What is different now. */
  details?: JsonObject
  /** How policies want it asked that did not say so before. Without it, as it was asked before. */
  review?: AskedReview
  now: number
  reason: AskAgainReason
}

/** Asks again about a call: because its outcome is unknown, or what let it run no longer does. */
export function planAskAgain(run: Run, call: Call, ask: AskAgain): Entry {
  const asked = call.phase.at === 'released' || call.phase.at === 'answered' ? call.phase.request : undefined
  const opened: Entry = {
    v: 1,
    type: 'request.opened',
    id: ask.id,
    questionId: call.id,
    kind: 'approve',
    run: run.id,
    call: call.key,
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
    ...(asked ? { supersedes: asked.opened.id } : {}),
    ...(ask.review ?? reviewAgain(call, asked, ask.now)),
  }
  if (ask.reason === 'unknown_outcome') opened.allowedDecisions = ['approve', 'respond', 'reject']
  if (ask.details) opened.details = ask.details
  return opened
}

/** A call is asked about again in the way in which it was, or would have been. */
function reviewAgain(call: Call, asked: AskedRequest | undefined, now: number): Partial<AskedReview> {
  const review = asked?.opened ?? call.review
  if (!review) return {}
  const { allowedDecisions, reviewers, argsSchema, risk, description } = review
  const { onTimeout, expiresAt } = asked?.opened ?? {}
  return {
    allowedDecisions,
    ...(description === undefined ? {} : { description }),
    // What needs fresh eyes does not run because nobody looked.
    ...(onTimeout === undefined || onTimeout === 'allow' ? {} : { onTimeout }),
    // As much time as it had the first time.
    ...(expiresAt === undefined || !asked ? {} : { expiresAt: now + (expiresAt - asked.openedAt) }),
    ...(reviewers ? { reviewers } : {}),
    ...(argsSchema ? { argsSchema } : {}),
    ...(risk ? { risk } : {}),
  }
}

function shownArgs({ args, asRun, argsInput }: ShownCall): { args: JsonObject; asRun?: true; argsInput?: JsonObject } {
  return { args, ...(asRun ? { asRun } : {}), ...(argsInput === undefined ? {} : { argsInput }) }
}

/** Releases a call once more with the same key, because its tool says that running it again is safe. */
export function planRetry(call: Call, release: Release, start: Start): Entry[] {
  return [planReleaseAgain(call, release), ...planStart(call, start)]
}

/**
 * Gives a release back whose attempt never began: only the process that was to run it can know that. Empty as soon as somebody else has acted
 * on the attempt, or could without a trace: a body that can be entered again may run elsewhere by now.
 */
export function planNotBegun(state: ThreadState, key: CallKey, attempt: number): Entry[] {
  const call = findCall(state, key)
  if (call?.phase.at !== 'started' || call.attempts !== attempt) return []
  if (call.resumable || call.nested || call.waits.length > 0 || call.steps.size > 0) return []
  return [planReleaseAgain(call, call.phase.release)]
}

function planReleaseAgain(call: Call, release: Release): Entry {
  const released: Entry = {
    v: 1,
    type: 'call.released',
    call: call.key,
    digest: release.digest,
    // Whoever let it run the first time still has: the tool and the model are told so.
    by: { ...release.by, via: 'retry' },
  }
  if (release.edited || release.tool !== call.tool || release.definition !== call.definition) {
    Object.assign(released, { tool: release.tool, ...shownArgs(release), definition: release.definition })
  }
  if (Object.keys(release.facts).length > 0) released.facts = release.facts
  return released
}

/** Lets a checked edit run. */
export function planEditRelease(
  call: Call,
  edited: {
    tool: string
    args: JsonObject
    argsInput?: JsonObject
    definition: string
    facts?: CallFacts
    digest: string
    policies?: PolicyMark[]
    by: Actor
    request: string
  },
): Entry {
  return { v: 1, type: 'call.released', call: call.key, ...edited, asRun: true }
}

/** Opens a request again because its edit does not fit. */
export function planReopen(
  call: Call,
  why: { cause: 'withdrawn' | 'edit_refused'; by: Actor; problems?: string[] },
): Entry[] {
  const { phase } = call
  // What was asked inside of an outer call is closed with its rejection, and cannot be asked again.
  if (call.nested || (phase.at !== 'answered' && phase.at !== 'released') || !phase.request) return []
  const { request } = phase
  return [
    { v: 1, type: 'request.reopened', id: request.opened.id, call: call.key, version: request.version + 1, ...why },
  ]
}

/**
 * Settles every call that has no result yet with a refusal, those of nested runs before the calls that opened them; used when a run is aborted
 * or superseded. Of a call that was started it must not say that it did not run: `unknownText` is for those, if `text` does.
 */
export function planRefuseAll(state: ThreadState, why: RefusedAll): Entry[] {
  return framesOf(state)
    .toReversed()
    .flatMap((frame) => [...closeGate(frame, why), ...frame.calls.flatMap((call) => planRefuse(call, why))])
}

interface RefusedAll {
  status: 'aborted' | 'superseded'
  by: Actor
  text: string
  unknownText?: (tool: string) => string
}

function closeGate({ gate }: Frame, { status, by, text }: RefusedAll): Entry[] {
  return gate && !gate.answer ? [planClosed(gate.request, { status, by, reason: text })] : []
}

function planRefuse(call: Call, why: RefusedAll): Entry[] {
  if (isSettled(call)) return []
  const started = call.attempts > 0 && openWaits(call).length === 0 && !call.nested
  const unknownText = started ? why.unknownText?.(call.tool) : undefined
  const refused: Entry = {
    v: 1,
    type: 'call.refused',
    call: call.key,
    cause: unknownText === undefined ? why.status : 'unknown',
    result: errorResult(unknownText ?? why.text),
  }
  const requests = call.phase.at === 'held' ? [call.phase.request] : openWaits(call).map((wait) => wait.request)
  const closed = { status: why.status, by: why.by, reason: why.text }
  return [...requests.map((request) => planClosed(request, closed)), refused]
}

/** Ends all that a thread waits for: what the application asked by itself, and the run. */
export function planAbortAll(state: ThreadState, why: { by: Actor; reason: string }): Entry[] {
  const asked = [...state.asked.values()].map((request) => planClosed(request, { status: 'aborted', ...why }))
  return [...asked, ...(state.run?.status === 'open' ? planAbort(state, state.run, why) : [])]
}

/** Ends a run for good: every unresolved call refused, then a last assistant message. */
export function planAbort(state: ThreadState, run: Run, why: { by: Actor; reason: string }): Entry[] {
  const refusals = planRefuseAll(state, { status: 'aborted', by: why.by, text: `aborted: ${why.reason}` })
  return [
    ...refusals,
    {
      v: 1,
      type: 'run.settled',
      run: run.id,
      status: 'aborted',
      reason: why.reason,
      message: { role: 'assistant', content: '', stopReason: 'aborted' },
    },
  ]
}
