import { editOf, rejects } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import type { CallKey } from '../../protocol/ids.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'
import { keepKey } from '../answer-keys.ts'
import { openRun } from '../open-run.ts'
import { findCall, findOpenRequest, framesOf, isSettled, openWaits, outerRequest } from '../queries.ts'
import { put, without } from '../shared-map.ts'
import type { Answer, AskedRequest, Call, ThreadState, Wait } from '../state.ts'
import { foldSpent, foldTakenBack } from './fold-grants.ts'
import { frame, invalid, need, requestOf } from './fold-helpers.ts'

/** A request was opened: about a call, by a tool body, before an answer, or by the application. */
export function requestOpened(state: ThreadState, entry: EntryOf<'request.opened'>, at: number): void {
  const request: AskedRequest = { opened: entry, openedAt: at, version: 1, problems: undefined, escalated: false }
  if (entry.gate) {
    frame(state, entry.frame ?? entry.run ?? '').gate = { request, answer: undefined }
    return
  }
  if (entry.call === undefined) {
    state.asked = put(state.asked, entry.id, request)
    return
  }
  const call = need(state, entry.call)
  const run = openRun(state)
  run.askedAbout = put(run.askedAbout, entry.id, call.key)
  if (entry.kind !== 'approve' || entry.ordinal !== undefined) {
    call.waits.push({ request, answer: undefined })
    return
  }
  const { phase } = call
  if (!mayAsk(call)) throw invalid(state, `call ${entry.call} cannot be asked about`)
  if (entry.reason === 'changed') call.changes += 1
  if (entry.policies) call.policies = entry.policies
  // Asking again does not make an unknown outcome known.
  const unknown = phase.at === 'started' ? phase.release : 'unknown' in phase ? phase.unknown : undefined
  call.phase = unknown ? { at: 'held', request, unknown } : { at: 'held', request }
}

/** An edit may be asked about again if what its author saw has changed. Any other answer is acted on. */
function mayAsk({ phase }: Call): boolean {
  switch (phase.at) {
    case 'judged':
    case 'started':
    case 'released':
      return true
    case 'answered':
      return phase.answer.kind === 'decision' && editOf(phase.answer.decision) !== undefined
    case 'held':
    case 'finished':
    case 'refused':
      return false
    default:
      return phase satisfies never
  }
}

/** An `approve` request was decided. */
export function requestDecided(state: ThreadState, entry: EntryOf<'request.decided'>, at: number): void {
  keepKey(state, entry)
  if (entry.call === undefined) {
    const { decision, by, undoMs = 0 } = entry
    if (!answerGate(state, entry, { kind: 'decision', decision, by, at, effectiveAt: at + undoMs }))
      state.asked = without(state.asked, entry.id)
    return
  }
  const call = need(state, entry.call)
  const wait = openWaits(call).find(({ request }) => request.opened.id === entry.id)
  if (wait) {
    if (!follows(wait.request, entry))
      throw invalid(state, `request ${entry.id} is not at version ${entry.version - 1}`)
    wait.request.version = entry.version
    wait.request.decidedIn = entry.trace
    wait.answer = { kind: 'answered', value: entry.decision as JsonValue, by: entry.by }
    return
  }
  const request = outerRequest(call)
  if (request && rejects(entry.decision) && follows(request, entry)) {
    const { decision, by } = entry
    request.version = entry.version
    request.decidedIn = entry.trace
    call.phase = { at: 'answered', request, answer: { kind: 'decision', decision, by, at, effectiveAt: at } }
    return
  }
  if (call.phase.at !== 'held' || !follows(call.phase.request, entry))
    throw invalid(state, `request ${entry.id} is not open at version ${entry.version - 1}`)
  const { decision, by, undoMs = 0 } = entry
  switch (decision.type) {
    case 'reject':
      foldSpent(state, by)
      break
    case 'edit':
      call.editMessage = decision.message
      break
    case 'approve':
    case 'respond':
      break
    default:
      decision satisfies never
  }
  call.phase.request.version = entry.version
  call.phase.request.decidedIn = entry.trace
  call.phase = {
    ...call.phase,
    at: 'answered',
    answer: { kind: 'decision', decision, by, at, effectiveAt: at + undoMs },
  }
}

/** A `confirm` or `ask` was answered. */
export function requestAnswered(state: ThreadState, entry: EntryOf<'request.answered'>): void {
  keepKey(state, entry)
  if (state.asked.has(entry.id)) {
    state.asked = without(state.asked, entry.id)
    return
  }
  const wait = waitOf(state, entry)
  wait.request.version = entry.version
  wait.request.decidedIn = entry.trace
  wait.answer = { kind: 'answered', value: entry.answer, by: entry.by }
}

/** A request was reopened. */
export function requestReopened(state: ThreadState, entry: EntryOf<'request.reopened'>): void {
  if (entry.call === undefined) return gateReopened(state, entry)
  const call = need(state, entry.call)
  const asked = call.phase.at === 'held' ? undefined : requestOf(call)
  if (!asked || !follows(asked.request, entry)) throw invalid(state, `request ${entry.id} cannot open again`)
  if (entry.cause === 'withdrawn') {
    // Reopening a decision revokes the grant that it gave.
    foldTakenBack(state, ({ request }) => request === entry.id)
  }
  asked.request.version = entry.version
  asked.request.problems = entry.problems
  call.phase = { at: 'held', ...asked }
}

/** A request was closed without an answer. */
export function requestClosed(state: ThreadState, entry: EntryOf<'request.closed'>): void {
  if (entry.call === undefined) {
    const { status, by, reason } = entry
    if (!answerGate(state, entry, { kind: 'closed', status, by, reason })) state.asked = without(state.asked, entry.id)
    return
  }
  const call = need(state, entry.call)
  if (isSettled(call)) return
  if (openWaits(call).some(({ request }) => request.opened.id === entry.id)) {
    const wait = waitOf(state, entry)
    wait.request.version = entry.version
    wait.answer = { kind: 'closed', status: entry.status, reason: entry.reason }
    return
  }
  const asked = requestOf(call)
  if (!asked || !follows(asked.request, entry)) throw invalid(state, `request ${entry.id} is not open`)
  asked.request.version = entry.version
  call.phase = {
    at: 'answered',
    ...asked,
    answer: { kind: 'closed', status: entry.status, by: entry.by, reason: entry.reason },
  }
}

/** A request was escalated at its deadline. */
export function requestEscalated(state: ThreadState, entry: EntryOf<'request.escalated'>): void {
  const asked = findOpenRequest(state, entry.id)
  if (!asked || entry.version !== asked.version + 1) throw invalid(state, `request ${entry.id} is not open`)
  asked.version = entry.version
  asked.escalated = true
}

function waitOf(state: ThreadState, entry: { id: string; call?: CallKey }): Wait {
  const call = entry.call === undefined ? undefined : findCall(state, entry.call)
  const wait = call && openWaits(call).find(({ request }) => request.opened.id === entry.id)
  if (!wait) throw invalid(state, `request ${entry.id} is not open`)
  return wait
}

/** Settles the request of a frame's gate. Returns `false` if the request belongs to no gate. */
function answerGate(
  state: ThreadState,
  entry: { id: string; version: number; trace?: SpanLink },
  answer: Answer,
): boolean {
  const gate = framesOf(state).find((at) => at.gate?.request.opened.id === entry.id)?.gate
  if (!gate) return false
  if (gate.answer || !follows(gate.request, entry)) throw invalid(state, `request ${entry.id} is not open`)
  gate.request.version = entry.version
  gate.request.decidedIn = entry.trace
  gate.answer = answer
  return true
}

/** The decision about the answer behind a gate was withdrawn. */
function gateReopened(state: ThreadState, entry: EntryOf<'request.reopened'>): void {
  const gate = framesOf(state).find((at) => at.gate?.request.opened.id === entry.id)?.gate
  if (!gate?.answer || !follows(gate.request, entry)) throw invalid(state, `request ${entry.id} cannot open again`)
  gate.request.version = entry.version
  gate.answer = undefined
}

/** Whether an entry is the next change of a request. */
function follows(request: AskedRequest, entry: { id: string; version: number }): boolean {
  return request.opened.id === entry.id && entry.version === request.version + 1
}
