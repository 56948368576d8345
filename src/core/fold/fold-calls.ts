import type { Actor, Decision } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import { jsonEqual } from '../../protocol/json/json.ts'
import { openRun } from '../open-run.ts'
import { findCall, isSettled, type SettledCall, sameCallKey, spendsGrant } from '../queries.ts'
import { put, without } from '../shared-map.ts'
import type { Call, CallOutcome, Release, ThreadState } from '../state.ts'
import { Transcript } from '../transcript.ts'
import { foldSpent } from './fold-grants.ts'
import { frame, invalid, need, newFrame, requestOf } from './fold-helpers.ts'

/** A call may run, once. */
export function callReleased(state: ThreadState, entry: EntryOf<'call.released'>, at: number): void {
  const call = need(state, entry.call)
  const args = entry.args ?? call.args
  const definition = entry.definition ?? call.definition
  if (!args || !definition || !mayRelease(call)) throw invalid(state, `call ${entry.call} cannot be released`)
  const edited = (entry.tool ?? call.tool) !== call.tool || !jsonEqual(args, call.args)
  // What is known of the judged arguments says nothing of others.
  const known = entry.args ? { asRun: entry.asRun ?? false, argsInput: entry.argsInput, facts: {} } : call
  const release: Release = {
    tool: entry.tool ?? call.tool,
    definition,
    args,
    asRun: known.asRun,
    argsInput: known.argsInput,
    facts: entry.facts ?? known.facts,
    digest: entry.digest,
    by: entry.by,
    request: entry.request,
    amount: entry.amount,
    edited,
    editMessage: edited ? call.editMessage : undefined,
    notBefore: at + (entry.delayMs ?? 0),
    delayed: (entry.delayMs ?? 0) > 0,
    validUntil: validUntil(call, entry.by),
  }
  if (entry.policies) call.policies = entry.policies
  call.phase = { at: 'released', release, ...requestOf(call) }
}

/** When a person's decision about a call stops counting. One about an unknown outcome counts for ever: nobody can say what it was about later. */
function validUntil({ phase, attempts }: Call, by: Actor): number | undefined {
  // The first attempt never began, and its release is given back.
  if (phase.at === 'started') return attempts === 1 ? phase.release.validUntil : undefined
  if (phase.at !== 'answered' || phase.answer.kind !== 'decision' || phase.unknown || by.kind !== 'person')
    return undefined
  const seconds = phase.request.opened.decisionValidSeconds
  return seconds === undefined ? undefined : phase.answer.effectiveAt + seconds * 1000
}

/** The call's release was spent. */
export function callStarted(state: ThreadState, entry: EntryOf<'call.started'>, at: number): void {
  const call = need(state, entry.call)
  if (call.phase.at !== 'released' || entry.attempt !== call.attempts + 1)
    throw invalid(state, `call ${entry.call} has no release to start on`)
  const { release, request } = call.phase
  if (spendsGrant(release)) foldSpent(state, release.by, release.amount)
  call.attempts = entry.attempt
  if (entry.policies) call.policies = entry.policies
  call.resumable = entry.resumable ?? false
  call.handedOver = entry.handedOver === undefined ? undefined : { by: entry.handedOver, at }
  call.phase = { at: 'started', release, ...(request ? { request } : {}) }
  if (entry.frame) openFrame(state, call, entry.frame)
}

/** A call that runs an agent has a frame until it is settled. */
function openFrame(state: ThreadState, call: Call, opened: NonNullable<EntryOf<'call.started'>['frame']>): void {
  call.nested = true
  const { agent, input, maxTurns, context } = opened
  const messages = new Transcript(input)
  openRun(state).frames.set(call.key, newFrame({ key: call.key, agent, messages, maxTurns, context }))
}

/** Closes the frame of a call and all frames nested inside it. */
function closeFrames(state: ThreadState, { key, nested }: Call): void {
  if (!nested) return
  const { frames } = openRun(state)
  for (const inner of frames.get(key)?.calls ?? []) closeFrames(state, inner)
  frames.delete(key)
}

/** A body ended. */
export function callFinished(state: ThreadState, entry: EntryOf<'call.finished'>): void {
  const call = need(state, entry.call)
  const wasStarted = call.phase.at === 'started' || requestOf(call)?.unknown !== undefined
  if (!wasStarted || entry.attempt !== call.attempts)
    throw invalid(state, `attempt ${entry.attempt} of call ${entry.call} is not under way`)
  call.phase = { at: 'finished', result: entry.result }
  closeFrames(state, call)
  settleTurn(state, entry.call)
}

/** A call got its result without running. */
export function callRefused(state: ThreadState, entry: EntryOf<'call.refused'>): void {
  const call = need(state, entry.call)
  if (isSettled(call) || call.phase.at === 'held') throw invalid(state, `call ${entry.call} cannot be refused`)
  foldSpent(state, entry.by)
  call.phase = { at: 'refused', result: entry.result, cause: entry.cause }
  closeFrames(state, call)
  if (entry.cause === 'rejected' && call.args) {
    const key = sameCallKey(call.tool, call.args)
    const run = openRun(state)
    run.rejections = put(run.rejections, key, (run.rejections.get(key) ?? 0) + 1)
  }
  settleTurn(state, entry.call)
}

/** A release needs a verdict, an approval or a retry. */
function mayRelease({ phase, verdict }: Call): boolean {
  switch (phase.at) {
    case 'judged':
      return verdict.kind === 'allow' || verdict.kind === 'review'
    case 'answered':
      return phase.answer.kind === 'decision' && letsRun(phase.answer.decision)
    case 'started':
      return true
    default:
      return false
  }
}

function letsRun(decision: Decision): boolean {
  switch (decision.type) {
    case 'approve':
    case 'edit':
      return true
    case 'reject':
    case 'respond':
      return false
    default:
      return decision satisfies never
  }
}

/**
 * Counts a settled call. Once every call of the turn has a result, moves the results into the history, in call order.
 */
function settleTurn(state: ThreadState, key: CallKey): void {
  const at = frame(state, frameOf(key))
  at.settled += 1
  const expected = at.messages.at(-1)
  if (expected?.role !== 'assistant' || at.settled !== expected.toolCalls?.length) return
  const settled = at.calls.filter(isSettled)
  for (const { id, tool, phase } of settled)
    at.messages.push({ role: 'tool', toolCallId: id, toolName: tool, ...phase.result })
  at.outcomes = settled.map(outcomeOf)
  at.calls = []
  at.settled = 0
  forgetAsked(state)
}

/** Forgets the requests about calls whose turn is over. */
function forgetAsked(state: ThreadState): void {
  const run = openRun(state)
  for (const [id, key] of run.askedAbout) if (!findCall(state, key)) run.askedAbout = without(run.askedAbout, id)
}

function outcomeOf({ id, tool, args, phase }: SettledCall): CallOutcome {
  return { id, tool, args, how: phase.at === 'refused' ? phase.cause : 'finished', result: phase.result }
}
