import type { Actor } from '../../protocol/decision.ts'
import type { Entry, EntryOf, PolicyMark } from '../../protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { findCall, framesOf, isSettled, openRequests, openWaits, outerRequest } from '../queries.ts'
import type { AskedRequest, Call, Frame, Release, Run, ThreadState } from '../state.ts'
import { shownArgs } from './ask-again.ts'
import type { CheckedEdit } from './decide.ts'
import { errorResult } from './results.ts'
import { planClosed } from './waits.ts'

const SYSTEM: Actor = { kind: 'system', id: 'holdpoint' }

/** Spends a call's release. Recorded before the body runs, so that the release cannot be used twice (G2). */
export function planStart(call: Call, start: Start): Entry[] {
  const started: Entry = { v: 1, type: 'call.started', call: call.key, attempt: call.attempts + 1 }
  if (start.resumable) started.resumable = true
  if (start.handedOver !== undefined) started.handedOver = start.handedOver
  if (start.frame) started.frame = start.frame
  if (start.policies) started.policies = start.policies
  return [started]
}

/** How a call starts: with a body, which may be resumable, or with a frame of its own. */
export interface Start {
  resumable: boolean
  /** Its host runs it. */
  handedOver?: string
  frame?: NonNullable<EntryOf<'call.started'>['frame']>
  /** What each policy said, if the call was judged again. */
  policies?: PolicyMark[]
}

/**
 * Records the result of an attempt. The attempt is its only guard, so a worker that lost its lease may still report.
 * Empty if the attempt is already settled. Closes a request about its unknown outcome, which is now known.
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
      // A retry was approved but is no longer needed.
      return call.phase.unknown ? [finished] : []
    default:
      return []
  }
}

/** Refuses calls, each with the result that the model will read. */
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
 * Rejects a call with a nested run and closes every request inside it. The driver writes the result that the model
 * reads. Empty if the call is settled or was never asked about.
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

/** Closes the open questions of a settled call's body. */
function closeWaits(call: Call): Entry[] {
  const why = { status: 'superseded', by: SYSTEM, reason: 'the call is over' } as const
  return openWaits(call).map(({ request }) => planClosed(request, why))
}

/** Releases a call again with the same key, because its tool says that a retry is safe. Without `start` it is started later. */
export function planRetry(call: Call, release: Release, start?: Start): Entry[] {
  return [planReleaseAgain(call, release), ...(start ? planStart(call, start) : [])]
}

/**
 * Gives back the release of an attempt that never began, which only the process that was to run it can know. Empty once
 * the attempt was acted on, or could have been without a trace: a resumable body may run elsewhere by now.
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
    // The original approver still counts: the tool and the model are told so.
    by: { ...release.by, via: 'retry' },
  }
  if (release.edited || release.tool !== call.tool || release.definition !== call.definition) {
    Object.assign(released, { tool: release.tool, ...shownArgs(release), definition: release.definition })
  }
  if (Object.keys(release.facts).length > 0) released.facts = release.facts
  return released
}

/** Releases a checked edit. */
export function planEditRelease(call: Call, edited: CheckedEdit & { by: Actor; request: string }): Entry {
  return { v: 1, type: 'call.released', call: call.key, ...edited, asRun: true }
}

/** Reopens a request because its edit is invalid. */
export function planReopen(
  call: Call,
  why: { cause: 'withdrawn' | 'edit_refused'; by: Actor; problems?: string[] },
): Entry[] {
  const { phase } = call
  // Rejecting an outer call closed the requests inside it. They cannot be reopened.
  if (call.nested || (phase.at !== 'answered' && phase.at !== 'released') || !phase.request) return []
  const { request } = phase
  return [
    { v: 1, type: 'request.reopened', id: request.opened.id, call: call.key, version: request.version + 1, ...why },
  ]
}

/**
 * Refuses every call without a result, nested calls before the calls that opened them. Used when a run is aborted or
 * superseded. A started call must not be reported as not run: `unknownText` replaces `text` for those.
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

/** Ends everything that a thread waits for: the application's own questions, and the run. */
export function planAbortAll(state: ThreadState, why: { by: Actor; reason: string }): Entry[] {
  const asked = [...state.asked.values()].map((request) => planClosed(request, { status: 'aborted', ...why }))
  return [...asked, ...(state.run?.status === 'open' ? planAbort(state, state.run, why) : [])]
}

/** Ends a run for good: refuses every unresolved call, then adds a last assistant message. What had started is not said to have not run. */
export function planAbort(state: ThreadState, run: Run, why: { by: Actor; reason: string }): Entry[] {
  const text = `aborted: ${why.reason}`
  const unknownText = (tool: string) => `${text}. ${tool} was started, and it is not known whether it took effect.`
  const refusals = planRefuseAll(state, { status: 'aborted', by: why.by, text, unknownText })
  return [
    ...refusals,
    {
      v: 1,
      type: 'run.settled',
      run: run.id,
      status: 'aborted',
      by: why.by,
      reason: why.reason,
      message: { role: 'assistant', content: '', stopReason: 'aborted' },
    },
  ]
}
