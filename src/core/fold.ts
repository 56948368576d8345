import type { Entry, EntryOf } from '../protocol/entry.ts'
import { JournalInvalid } from '../protocol/errors.ts'
import { type CallKey, callKey, frameOf } from '../protocol/ids.ts'
import { type JsonValue, jsonEqual } from '../protocol/json.ts'
import { foldGiven, foldSpent, foldTakenBack } from './fold-grants.ts'
import type { Answer, AskedRequest, Call, Frame, Release, Run, ThreadState, Wait } from './state.ts'
import { findCall, isSettled, openRequests, openWaits, sameCallKey, spendsGrant } from './state.ts'

/**
 * Folds one entry into a state, in place, in constant time. A function of its arguments alone: the same entries with the same times
 * always give the same state. An entry that cannot follow what came before is an error, never a guess.
 */
export function apply(state: ThreadState, entry: Entry, at: number): void {
  state.version += 1
  switch (entry.type) {
    case 'run.opened':
      return openRun(state, entry)
    case 'input.added':
      frame(state, entry.run).queued.push(...entry.input)
      return
    case 'model.answered':
      return modelAnswered(state, entry)
    case 'tool.defined':
      state.definitions.set(entry.definition, entry)
      return
    case 'call.judged':
      return callJudged(state, entry)
    case 'request.opened':
      return requestOpened(state, entry, at)
    case 'request.decided':
      return requestDecided(state, entry, at)
    case 'request.answered':
      return requestAnswered(state, entry)
    case 'request.reopened':
      return requestReopened(state, entry)
    case 'request.closed':
      return requestClosed(state, entry)
    case 'request.escalated':
      return requestEscalated(state, entry)
    case 'grant.created':
      return foldGiven(state, entry.grant, at)
    case 'grant.revoked':
      return foldTakenBack(state, ({ id }) => id === entry.id)
    case 'call.released':
      return callReleased(state, entry, at)
    case 'call.started':
      return callStarted(state, entry)
    case 'step.started':
      need(state, entry.call).steps.set(entry.name, null)
      return
    case 'step.finished':
      need(state, entry.call).steps.set(entry.name, { value: entry.value })
      return
    case 'call.finished':
      return callFinished(state, entry)
    case 'call.refused':
      return callRefused(state, entry)
    case 'gate.passed':
      run(state).gate = undefined
      return
    case 'run.settled':
      return runSettled(state, entry)
    default:
      entry satisfies never
  }
}

function openRun(state: ThreadState, entry: EntryOf<'run.opened'>): void {
  if (state.run?.status === 'open') throw invalid(state, `run ${state.run.id} is still open`)
  state.messages.push(...entry.input)
  const root: Frame = {
    key: entry.run,
    agent: entry.agent.id,
    messages: state.messages,
    turn: 0,
    calls: [],
    queued: [],
  }
  state.run = {
    id: entry.run,
    agent: entry.agent,
    context: entry.context,
    options: entry.options,
    trace: entry.trace,
    usage: { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    rejections: new Map(),
    frames: new Map([[root.key, root]]),
    gate: undefined,
    status: 'open',
    reason: undefined,
  }
}

function modelAnswered(state: ThreadState, entry: EntryOf<'model.answered'>): void {
  const { usage } = run(state)
  const at = frame(state, entry.frame)
  const last = at.messages.at(-1)
  const dangling = at.turn > 0 && last?.role === 'assistant' && (last.toolCalls?.length ?? 0) > 0
  if (at.calls.length > 0 || dangling || entry.turn !== at.turn + 1)
    throw invalid(state, `turn ${entry.turn} cannot follow turn ${at.turn}`)
  if (entry.read) at.messages.push(...at.queued.splice(0, entry.read))
  at.turn = entry.turn
  at.messages.push(entry.message)
  usage.requests += entry.usage?.requests ?? 1
  usage.inputTokens += entry.usage?.inputTokens ?? 0
  usage.outputTokens += entry.usage?.outputTokens ?? 0
  usage.totalTokens += entry.usage?.totalTokens ?? 0
}

function callJudged(state: ThreadState, entry: EntryOf<'call.judged'>): void {
  const at = frame(state, frameOf(entry.call))
  const message = at.messages.at(-1)
  const made = message?.role === 'assistant' ? message.toolCalls?.[at.calls.length] : undefined
  if (!made || entry.call !== callKey(at.key, at.turn, at.calls.length))
    throw invalid(state, `call ${entry.call} was not made`)
  at.calls.push({
    key: entry.call,
    id: made.id,
    tool: made.name,
    args: entry.verdict.kind === 'invalid' ? undefined : (entry.args ?? made.args),
    definition: entry.definition,
    facts: entry.facts ?? {},
    digest: entry.digest,
    verdict: entry.verdict,
    review: entry.review,
    attempts: 0,
    resumable: false,
    waits: [],
    steps: new Map(),
    phase: { at: 'judged' },
  })
}

function requestOpened(state: ThreadState, entry: EntryOf<'request.opened'>, at: number): void {
  const request: AskedRequest = { opened: entry, openedAt: at, version: 1, problems: undefined, escalated: false }
  if (entry.gate) {
    run(state).gate = { request, answer: undefined }
    return
  }
  if (entry.call === undefined) {
    state.asked.set(entry.id, request)
    return
  }
  const call = need(state, entry.call)
  if (entry.kind !== 'approve' || entry.ordinal !== undefined) {
    call.waits.push({ request, answer: undefined })
    return
  }
  const { phase } = call
  if (phase.at !== 'judged' && phase.at !== 'started' && phase.at !== 'released')
    throw invalid(state, `call ${entry.call} cannot be asked about`)
  // What is not known does not become known by asking again.
  const unknown = phase.at === 'started' ? phase.release : phase.at === 'released' ? phase.unknown : undefined
  call.phase = unknown ? { at: 'held', request, unknown } : { at: 'held', request }
}

function requestDecided(state: ThreadState, entry: EntryOf<'request.decided'>, at: number): void {
  if (entry.call === undefined) {
    const { decision, by, undoMs = 0 } = entry
    if (!answerGate(state, entry, { kind: 'decision', decision, by, at, effectiveAt: at + undoMs }))
      state.asked.delete(entry.id)
    return
  }
  const call = need(state, entry.call)
  const wait = openWaits(call).find(({ request }) => request.opened.id === entry.id)
  if (wait) {
    if (!follows(wait.request, entry))
      throw invalid(state, `request ${entry.id} is not at version ${entry.version - 1}`)
    wait.request.version = entry.version
    wait.answer = { kind: 'answered', value: entry.decision as JsonValue, by: entry.by }
    return
  }
  if (call.phase.at !== 'held' || !follows(call.phase.request, entry))
    throw invalid(state, `request ${entry.id} is not open at version ${entry.version - 1}`)
  const { decision, by, undoMs = 0 } = entry
  if (decision.type === 'reject') foldSpent(state, by)
  call.phase.request.version = entry.version
  call.phase = {
    ...call.phase,
    at: 'answered',
    answer: { kind: 'decision', decision, by, at, effectiveAt: at + undoMs },
  }
}

function requestAnswered(state: ThreadState, entry: EntryOf<'request.answered'>): void {
  if (state.asked.delete(entry.id)) return
  const wait = waitOf(state, entry)
  wait.request.version = entry.version
  wait.answer = { kind: 'answered', value: entry.answer, by: entry.by }
}

function waitOf(state: ThreadState, entry: { id: string; call?: CallKey }): Wait {
  const call = entry.call === undefined ? undefined : findCall(state, entry.call)
  const wait = call && openWaits(call).find(({ request }) => request.opened.id === entry.id)
  if (!wait) throw invalid(state, `request ${entry.id} is not open`)
  return wait
}

/** Settles the request of the run's gate, if it is that one. */
function answerGate(state: ThreadState, entry: { id: string; version: number }, answer: Answer): boolean {
  const gate = state.run?.gate
  if (gate?.request.opened.id !== entry.id) return false
  if (gate.answer || !follows(gate.request, entry)) throw invalid(state, `request ${entry.id} is not open`)
  gate.request.version = entry.version
  gate.answer = answer
  return true
}

function requestReopened(state: ThreadState, entry: EntryOf<'request.reopened'>): void {
  const call = need(state, entry.call)
  const asked = call.phase.at === 'held' ? undefined : requestOf(call)
  if (!asked || !follows(asked.request, entry)) throw invalid(state, `request ${entry.id} cannot open again`)
  if (entry.cause === 'withdrawn') {
    // A standing decision goes with the decision that gave it.
    foldTakenBack(state, ({ request }) => request === entry.id)
  }
  asked.request.version = entry.version
  asked.request.problems = entry.problems
  call.phase = { at: 'held', ...asked }
}

function requestClosed(state: ThreadState, entry: EntryOf<'request.closed'>): void {
  if (entry.call === undefined) {
    const { status, by, reason } = entry
    if (!answerGate(state, entry, { kind: 'closed', status, by, reason })) state.asked.delete(entry.id)
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

function requestEscalated(state: ThreadState, entry: EntryOf<'request.escalated'>): void {
  const asked = openRequests(state).find(({ opened }) => opened.id === entry.id)
  if (!asked || entry.version !== asked.version + 1) throw invalid(state, `request ${entry.id} is not open`)
  asked.version = entry.version
  asked.escalated = true
}

function callReleased(state: ThreadState, entry: EntryOf<'call.released'>, at: number): void {
  const call = need(state, entry.call)
  const args = entry.args ?? call.args
  const definition = entry.definition ?? call.definition
  if (!args || !definition || !mayRelease(call)) throw invalid(state, `call ${entry.call} cannot be released`)
  const release: Release = {
    tool: entry.tool ?? call.tool,
    definition,
    args,
    facts: entry.facts ?? (entry.args === undefined ? call.facts : {}),
    digest: entry.digest,
    by: entry.by,
    request: entry.request,
    amount: entry.amount,
    edited: (entry.tool ?? call.tool) !== call.tool || !jsonEqual(args, call.args),
    notBefore: at + (entry.delayMs ?? 0),
  }
  call.phase = { at: 'released', release, ...requestOf(call) }
}

/** A release comes of a verdict, of a yes, or of trying again; never out of nothing. */
function mayRelease({ phase, verdict }: Call): boolean {
  switch (phase.at) {
    case 'judged':
      return verdict.kind === 'allow' || verdict.kind === 'review'
    case 'answered':
      return (
        phase.answer.kind === 'decision' &&
        (phase.answer.decision.type === 'approve' || phase.answer.decision.type === 'edit')
      )
    case 'started':
      return true
    default:
      return false
  }
}

function callStarted(state: ThreadState, entry: EntryOf<'call.started'>): void {
  const call = need(state, entry.call)
  if (call.phase.at !== 'released' || entry.attempt !== call.attempts + 1)
    throw invalid(state, `call ${entry.call} has no release to start on`)
  const { release } = call.phase
  if (spendsGrant(release)) foldSpent(state, release.by, release.amount)
  call.attempts = entry.attempt
  call.resumable = entry.resumable ?? false
  call.phase = { at: 'started', release }
}

function callFinished(state: ThreadState, entry: EntryOf<'call.finished'>): void {
  const call = need(state, entry.call)
  const wasStarted = call.phase.at === 'started' || ('unknown' in call.phase && call.phase.unknown !== undefined)
  if (!wasStarted || entry.attempt !== call.attempts)
    throw invalid(state, `attempt ${entry.attempt} of call ${entry.call} is not under way`)
  call.phase = { at: 'finished', result: entry.result }
  settleTurn(state, entry.call)
}

function callRefused(state: ThreadState, entry: EntryOf<'call.refused'>): void {
  const call = need(state, entry.call)
  if (isSettled(call) || call.phase.at === 'held') throw invalid(state, `call ${entry.call} cannot be refused`)
  foldSpent(state, entry.by)
  call.phase = { at: 'refused', result: entry.result }
  if (entry.cause === 'rejected' && call.args) {
    const key = sameCallKey(call.tool, call.args)
    const { rejections } = run(state)
    rejections.set(key, (rejections.get(key) ?? 0) + 1)
  }
  settleTurn(state, entry.call)
}

/** Moves a turn's results into the history, in call order, once every call has one. */
function settleTurn(state: ThreadState, key: CallKey): void {
  const at = frame(state, frameOf(key))
  const expected = at.messages.at(-1)
  if (expected?.role !== 'assistant' || at.calls.length !== expected.toolCalls?.length || !at.calls.every(isSettled))
    return
  for (const call of at.calls) {
    if (isSettled(call))
      at.messages.push({ role: 'tool', toolCallId: call.id, toolName: call.tool, ...call.phase.result })
  }
  at.calls = []
}

function runSettled(state: ThreadState, entry: EntryOf<'run.settled'>): void {
  const current = run(state)
  for (const at of current.frames.values())
    if (at.calls.length > 0) throw invalid(state, `call ${at.calls[0]?.key} has no result`)
  for (const at of current.frames.values()) at.messages.push(...at.queued.splice(0))
  if (entry.message) state.messages.push(entry.message)
  current.status = entry.status
  current.reason = entry.reason
}

/** Whether an entry is the next change of a request. */
function follows(request: AskedRequest, entry: { id: string; version: number }): boolean {
  return request.opened.id === entry.id && entry.version === request.version + 1
}

/** The request about a call that was asked last and still matters. */
function requestOf(call: Call): { request: AskedRequest; unknown?: Release } | undefined {
  switch (call.phase.at) {
    case 'held':
    case 'answered':
    case 'released': {
      const { request, unknown } = call.phase
      if (!request) return undefined
      return unknown ? { request, unknown } : { request }
    }
    default:
      return undefined
  }
}

function run(state: ThreadState): Run {
  if (state.run?.status !== 'open') throw invalid(state, 'there is no open run')
  return state.run
}

function frame(state: ThreadState, key: string): Frame {
  const found = run(state).frames.get(key)
  if (!found) throw invalid(state, `there is no frame ${key}`)
  return found
}

function need(state: ThreadState, key: CallKey): Call {
  const call = findCall(state, key)
  if (!call) throw invalid(state, `there is no call ${key}`)
  return call
}

function invalid(state: ThreadState, problem: string): JournalInvalid {
  return new JournalInvalid({ threadId: state.threadId, seq: state.version, problem })
}
