import type { Decision } from '../protocol/decision.ts'
import { JournalInvalid } from '../protocol/errors/errors.ts'
import type { CallKey, FrameKey } from '../protocol/ids.ts'
import { Budget, type GrantUse, type KnownGrant, shownCall } from './grants.ts'
import { deadlineOf } from './plan/deadline.ts'
import {
  callsOf,
  closedWait,
  freeSlots,
  isLeft,
  isRoot,
  isSettled,
  needsPerson,
  openRequests,
  openWaits,
  spendsGrant,
} from './queries.ts'
import type { AskedRequest, Call, Frame, HostAsks, Run, ThreadState } from './state.ts'

/** What to do next, as data. */
export type Step =
  | { do: 'ask-model'; frame: Frame }
  /** A frame reached its limit of model calls. */
  | { do: 'stop-at-limit'; frame: Frame; maxTurns: number }
  /** Act on the decision about the answer behind a frame's gate. */
  | { do: 'pass-gate'; frame: Frame }
  /** Write the results of calls that were rejected, answered in the tool's place, or closed. */
  | { do: 'refuse'; calls: Call[] }
  /** Close requests whose deadline has passed. */
  | { do: 'expire'; requests: AskedRequest[] }
  /** Check edits that were accepted without access to the agent's code. */
  | { do: 'check-edits'; calls: Call[] }
  /** Decide held calls by a grant that was given after they were asked about. */
  | { do: 'use-grants' }
  | { do: 'start'; calls: Call[] }
  /** Calls started by a process that is gone. */
  | { do: 'resolve-unknown'; calls: Call[] }
  /** Re-enter bodies whose process is gone and whose questions have been answered. */
  | { do: 're-enter'; calls: Call[] }
  /** Only bodies that run here, and model calls in progress, are left to wait for. */
  | { do: 'await-bodies' }
  /** A release may not be spent before this time. */
  | { do: 'await-time'; until: number }
  /** Only the host of the run's call can move it. */
  | { do: 'await-host' }
  /** Wait until one of these requests is answered, or for the first of their deadlines. */
  | { do: 'await-people'; requests: AskedRequest[]; until?: number }
  | { do: 'nothing' }

/** What the driving process knows besides the journal. */
export interface Circumstances {
  now: number
  /** Calls whose bodies run here. */
  running: ReadonlySet<CallKey>
  /** Frames with a model call in progress here. */
  thinking?: ReadonlySet<FrameKey>
  /** Overrides the run's own limit. `null` is no limit. */
  maxTurns?: number | null
  /** What the host of a run that is driven from outside asks for. Without it, such a run stands still. */
  host?: HostAsks | undefined
  /** The outcome of a call that was handed over this long ago is unknown, and people are asked. Left out: nobody is ever asked. */
  handedOverMs?: number | undefined
  /** The grants that reach this run, as read from the store. */
  grants?: readonly KnownGrant[]
}

/**
 * Decides the next step of a thread.
 *
 * N1  Pure: the same state and circumstances always give the same step.
 * N2  Each step, once performed, changes the state, the clock or what runs here. So the loop does not spin.
 * N3  Expired requests come first: nobody is asked, and nothing starts, on an answer that came too late.
 * N4  Within a frame: refuse, check edits, use grants, start, resolve unknown outcomes, re-enter bodies. What no longer needs people is done
 *     before anything is waited for.
 * N5  A call starts only from a release that is in effect. The transcript is never the work list.
 * N6  The call of a run that is driven from outside starts only if its host asks for that.
 * N7  A state in which calls wait and nobody is asked is corrupt: it throws.
 */
export function next(state: ThreadState, at: Circumstances): Step {
  const step = nextIfAny(state, at)
  // A state that was written here ends, waits or asks. A tampered state string may not.
  if (!step) throw stuck(state)
  return step
}

/** The same. `undefined` where `next` throws. */
export function nextIfAny(state: ThreadState, at: Circumstances): Step | undefined {
  const { run } = state
  if (run?.status !== 'open') return { do: 'nothing' }
  if (run.driver === 'external' && at.host === undefined) return { do: 'await-host' }
  const expired = openRequests(state).filter((asked) => isPast(asked, at.now))
  if (expired.length > 0) return { do: 'expire', requests: expired }
  let until: number | undefined
  for (const frame of run.frames.values()) {
    const step = frame.calls.length === 0 ? nextOfTurn(run, frame, at) : nextOfCalls({ state, run }, frame, at)
    if (step?.do === 'await-time') until = Math.min(until ?? step.until, step.until)
    else if (step) return step
  }
  if (isBusy(run, at)) return { do: 'await-bodies' }
  if (until !== undefined) return { do: 'await-time', until }
  const asked = people(state)
  if (asked.requests.length > 0) return { do: 'await-people', ...asked }
  return run.driver === 'external' ? { do: 'await-host' } : undefined
}

function stuck(state: ThreadState): JournalInvalid {
  const { threadId, version } = state
  const calls = callsOf(state).filter((call) => !isSettled(call))
  const problem = `calls ${calls.map(({ key }) => key).join(', ')} wait, and nobody is asked about them`
  return new JournalInvalid({ threadId, seq: version, problem })
}

/** Whether an answer can be acted on now, so that the run does not wait for people alone. */
export function hasAnswerToActOn(state: ThreadState, now: number): boolean {
  const at: Circumstances = { now, running: new Set() }
  const { run } = state
  if (run?.status !== 'open') return false
  return [...run.frames.values()].some((frame) => {
    const step = frame.calls.length === 0 ? nextOfTurn(run, frame, at) : nextOfCalls({ state, run }, frame, at)
    switch (step?.do) {
      case 'refuse':
      case 'check-edits':
      case 'start':
      case 'pass-gate':
        return true
      case 're-enter':
        return step.calls.some(({ waits }) => waits.length > 0)
      default:
        return false
    }
  })
}

/** The next step of a frame without open calls. None while its model is being asked or its answer is under review. */
function nextOfTurn(run: Run, frame: Frame, at: Circumstances): Step | undefined {
  if (frame.gate) return nextAtGate(frame, frame.gate, at)
  // The host makes one call, and there is nothing after it.
  if (run.driver === 'external' && frame.answered) return undefined
  if (at.thinking?.has(frame.key)) return undefined
  const own = frame.maxTurns === undefined ? run.options.maxTurns : frame.maxTurns
  const maxTurns = isRoot(run, frame) && at.maxTurns !== undefined ? at.maxTurns : own
  return maxTurns !== null && frame.turn >= maxTurns
    ? { do: 'stop-at-limit', frame, maxTurns }
    : { do: 'ask-model', frame }
}

function nextAtGate(frame: Frame, { answer }: NonNullable<Frame['gate']>, { now }: Circumstances): Step | undefined {
  if (!answer) return undefined
  const until = answer.kind === 'decision' ? answer.effectiveAt : now
  return until > now ? { do: 'await-time', until } : { do: 'pass-gate', frame }
}

/** The next step of a frame's open calls. None while they run or wait for people. */
function nextOfCalls(
  { state, run }: { state: ThreadState; run: Run },
  frame: Frame,
  at: Circumstances,
): Step | undefined {
  const { calls } = frame
  const refused = calls.filter((call) => isRefused(call, at))
  if (refused.length > 0) return { do: 'refuse', calls: refused }

  const edited = calls.filter((call) => isEdited(call, at.now))
  if (edited.length > 0) return { do: 'check-edits', calls: edited }

  if (grantedCalls(state, at.grants ?? [], at.now).length > 0) return { do: 'use-grants' }

  const mayStart = run.driver !== 'external' || at.host !== 'look'
  const startable = mayStart ? startableCalls(run, calls, at.now).slice(0, freeSlots(run)) : []
  if (startable.length > 0) return { do: 'start', calls: startable }

  // A nested run continues from its own entries.
  const left = calls.filter((call) => isLeft(call, at.running) || isOverdue(call, at))
  const unknown = left.filter((call) => !mayReenter(call))
  if (unknown.length > 0) return { do: 'resolve-unknown', calls: unknown }

  const answered = left.filter((call) => mayReenter(call) && openWaits(call).length === 0)
  if (answered.length > 0) return { do: 're-enter', calls: answered }

  const held = calls.some((call) => call.phase.at === 'held')
  const until = earliest(calls, at.now)
  return until !== undefined && (!held || run.options.start === 'cleared') ? { do: 'await-time', until } : undefined
}

/** Whether a call was handed over and nobody has said in time how it ended. */
function isOverdue({ phase, handedOver }: Call, { now, handedOverMs }: Circumstances): boolean {
  return phase.at === 'started' && handedOver !== undefined && handedOver.at + (handedOverMs ?? Infinity) <= now
}

function isBusy(run: Run, { running, thinking }: Circumstances): boolean {
  if (thinking && thinking.size > 0) return true
  if (running.size === 0) return false
  for (const { calls } of run.frames.values()) if (calls.some(({ key }) => running.has(key))) return true
  return false
}

/** Whether a request's deadline has passed. */
export function isPast({ opened, escalated }: AskedRequest, now: number): boolean {
  return (deadlineOf(opened, escalated) ?? Number.POSITIVE_INFINITY) <= now
}

/** The open requests, and the first of their deadlines. */
export function people(state: ThreadState): { requests: AskedRequest[]; until?: number } {
  const requests = openRequests(state)
  const deadlines = requests.flatMap(({ opened, escalated }) => deadlineOf(opened, escalated) ?? [])
  return deadlines.length > 0 ? { requests, until: deadlines.reduce((a, b) => Math.min(a, b)) } : { requests }
}

/**
 * A body may be re-entered if it is resumable or waited for people, unless one of its steps started and never ended.
 */
function mayReenter(call: Call): boolean {
  const dangling = [...call.steps.values()].some((end) => end === null)
  return (call.resumable || call.waits.length > 0) && !dangling
}

/** A hand-off leaves the agent that made the other calls of the turn, so it starts last. */
function startableCalls(run: Run, calls: readonly Call[], now: number): Call[] {
  const mayHandOff = calls.every((other) => other.handoff || isSettled(other))
  const ready = calls.filter(
    (call) => call.phase.at === 'released' && call.phase.release.notBefore <= now && (!call.handoff || mayHandOff),
  )
  if (run.options.start === 'cleared') return ready
  const isReady = new Set(ready)
  const cleared = calls.every(
    (call) =>
      isSettled(call) ||
      call.phase.at === 'started' ||
      isReady.has(call) ||
      (call.handoff && call.phase.at === 'released' && call.phase.release.notBefore <= now),
  )
  return cleared ? ready : []
}

/** Rejected, answered in the tool's place, or closed; and that is in effect. */
function isRefused(call: Call, { now, running }: Circumstances): boolean {
  if (call.phase.at === 'started') return closedWait(call) !== undefined && !running.has(call.key)
  if (call.phase.at !== 'answered') return false
  const { answer } = call.phase
  return answer.kind === 'closed' || (answer.effectiveAt <= now && afterDecision(answer.decision) === 'refuse')
}

/** An edit that is in effect and has not been checked against the agent's code. */
function isEdited({ phase }: Call, now: number): boolean {
  if (phase.at !== 'answered' || phase.answer.kind !== 'decision') return false
  return phase.answer.effectiveAt <= now && afterDecision(phase.answer.decision) === 'check-edit'
}

/** What the driver does about a decision. An approval needs nothing: it is released in the append that records it. */
function afterDecision(decision: Decision): 'refuse' | 'check-edit' | 'nothing' {
  switch (decision.type) {
    case 'reject':
    case 'respond':
      return 'refuse'
    case 'edit':
      return 'check-edit'
    case 'approve':
      return 'nothing'
    default:
      return decision satisfies never
  }
}

/** The first time at which a call that waits for time alone can continue. */
function earliest(calls: readonly Call[], now: number): number | undefined {
  let first: number | undefined
  for (const { phase } of calls) {
    const time = timeOf(phase)
    if (time !== undefined && time > now && (first === undefined || time < first)) first = time
  }
  return first
}

function timeOf(phase: Call['phase']): number | undefined {
  if (phase.at === 'released') return phase.release.notBefore
  return phase.at === 'answered' && phase.answer.kind === 'decision' ? phase.answer.effectiveAt : undefined
}

/** The held calls that grants decide, in call order, each with the use that it takes. */
export function grantedCalls(
  state: ThreadState,
  grants: readonly KnownGrant[],
  now: number,
): { call: Call; asked: AskedRequest; use: GrantUse }[] {
  if (grants.length === 0) return []
  const budget = new Budget(grants, now)
  for (const { phase } of callsOf(state))
    if (phase.at === 'released' && spendsGrant(phase.release)) budget.reserve(phase.release.by.id, phase.release.amount)
  return callsOf(state).flatMap((call) => {
    if (call.phase.at !== 'held' || call.phase.unknown || needsPerson(call.phase.request)) return []
    const { request: asked } = call.phase
    const shown = shownCall(state.threadId, asked.opened)
    const use = shown && budget.take(shown)
    return use ? [{ call, asked, use }] : []
  })
}
