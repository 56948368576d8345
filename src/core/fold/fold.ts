import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { callKey, frameOf } from '../../protocol/ids.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { openRun } from '../open-run.ts'
import { noEntries, put } from '../shared-map.ts'
import type { Call, Frame, ThreadState } from '../state.ts'
import { addUsage } from '../usage.ts'
import { callFinished, callRefused, callReleased, callStarted } from './fold-calls.ts'
import { contextReplaced, runMoved, sessionWritten } from './fold-context.ts'
import { foldGiven, foldTakenBack } from './fold-grants.ts'
import { frame, invalid, need, newFrame } from './fold-helpers.ts'
import { markAgent, markRun, markSaid } from './fold-marks.ts'
import {
  requestAnswered,
  requestClosed,
  requestDecided,
  requestEscalated,
  requestOpened,
  requestReopened,
} from './fold-requests.ts'

// Kept whole: one exhaustive switch over the entries is the table of contents of the fold.
/**
 * Folds one entry into a state, in place, in constant time. Depends on its arguments alone: the same entries with the
 * same times always give the same state. Throws on an entry that cannot follow the entries before it.
 */
export function apply(state: ThreadState, entry: Entry, at: number): void {
  state.version += 1
  try {
    fold(state, entry, at)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw invalid(state, `its fields are not those of ${entry.type}`, error)
  }
}

function fold(state: ThreadState, entry: Entry, at: number): void {
  switch (entry.type) {
    case 'run.opened':
      return runOpened(state, entry)
    case 'input.added':
      markSaid(state, entry)
      return inputAdded(frame(state, entry.frame ?? entry.run), entry)
    case 'input.cleared':
      return inputCleared(frame(state, entry.run))
    case 'context.replaced':
      return contextReplaced(state, entry)
    case 'run.moved':
      return runMoved(state, entry)
    case 'model.answered':
      return modelAnswered(state, entry)
    case 'model.discarded':
      return modelDiscarded(state, entry)
    case 'tool.defined':
      state.definitions.add(entry.definition, entry)
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
      return callStarted(state, entry, at)
    case 'step.started':
      return stepIs(need(state, entry.call), entry.name, null)
    case 'step.finished':
      return stepIs(need(state, entry.call), entry.name, { value: entry.value })
    case 'call.finished':
      return callFinished(state, entry)
    case 'call.refused':
      return callRefused(state, entry)
    case 'agent.changed':
      return agentChanged(state, entry)
    case 'gate.passed':
      frame(state, entry.frame ?? entry.run).gate = undefined
      return
    case 'run.settled':
      return runSettled(state, entry)
    case 'session.written':
      return sessionWritten(state, entry)
    case 'session.added':
    case 'session.popped':
    case 'session.cleared':
      // This is a session's thread: nothing runs in it.
      return
    case 'request.commented':
    case 'request.assigned':
      // This is the thread of a request's notes: nothing runs in it.
      return
    case 'erased':
      // The replacement was folded in its place.
      return
    case 'thread.erased':
      // This is the record of erasures: nothing runs in it.
      return
    default:
      entry satisfies never
  }
}

function runOpened(state: ThreadState, entry: EntryOf<'run.opened'>): void {
  if (state.run?.status === 'open') throw invalid(state, `run ${state.run.id} is still open`)
  if (entry.history) state.messages.push(...entry.history)
  const from = state.messages.length
  state.messages.push(...entry.input)
  const agent = { id: entry.agent.id }
  markRun(state, entry)
  const root = newFrame({ key: entry.run, agent, messages: state.messages, maxTurns: undefined, context: undefined })
  state.run = {
    id: entry.run,
    agent: entry.agent,
    driver: entry.driver,
    host: entry.host,
    context: entry.context,
    toolInput: undefined,
    options: entry.options,
    from: state.messages.length,
    changes: [],
    session: entry.session && { id: entry.session.id, from, written: 0 },
    trace: entry.trace,
    usage: { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    guardrails: [],
    rejections: noEntries(),
    frames: new Map([[root.key, root]]),
    askedAbout: noEntries(),
    status: 'open',
    reason: undefined,
  }
}

function inputAdded(at: Frame, { input, note }: EntryOf<'input.added'>): void {
  at.queued.push(...input)
  if (note) at.notes = new Set([...at.notes, ...input])
}

function inputCleared(at: Frame): void {
  at.queued = at.queued.filter((message) => at.notes.has(message))
  at.cleared += 1
}

function modelAnswered(state: ThreadState, entry: EntryOf<'model.answered'>): void {
  const current = openRun(state)
  const at = frame(state, entry.frame)
  const last = at.messages.at(-1)
  const dangling = at.answered && last?.role === 'assistant' && (last.toolCalls?.length ?? 0) > 0
  if (at.calls.length > 0 || dangling || entry.turn !== at.turn + 1)
    throw invalid(state, `turn ${entry.turn} cannot follow turn ${at.turn}`)
  if (entry.read) at.messages.push(...at.queued.splice(0, entry.read))
  if (!entry.byTools) at.turn = entry.turn
  at.answered = true
  at.outcomes = []
  at.messages.push(entry.message)
  current.usage = addUsage(current.usage, entry.usage)
  if (entry.guardrails) current.guardrails = [...current.guardrails, ...entry.guardrails]
}

/** Ends the turn without an answer. The model is asked the same again in the next turn. */
function modelDiscarded(state: ThreadState, entry: EntryOf<'model.discarded'>): void {
  const { run: id, usage, turn, guardrails } = entry
  const current = openRun(state)
  if (current.id !== id) throw invalid(state, `run ${id} is over`)
  current.usage = addUsage(current.usage, usage)
  if (guardrails) current.guardrails = [...current.guardrails, ...guardrails]
  if (!turn) return
  const at = frame(state, turn.frame)
  if (at.calls.length > 0 || turn.number !== at.turn + 1)
    throw invalid(state, `turn ${turn.number} cannot follow turn ${at.turn}`)
  at.turn = turn.number
}

function callJudged(state: ThreadState, entry: EntryOf<'call.judged'>): void {
  const at = frame(state, frameOf(entry.call))
  const message = at.messages.at(-1)
  const made = message?.role === 'assistant' ? message.toolCalls?.[at.calls.length] : undefined
  if (!made || entry.call !== callKey(at.key, at.turn, at.calls.length))
    throw invalid(state, `call ${entry.call} was not made`)
  const call: Call = {
    key: entry.call,
    id: made.id,
    agent: at.agent,
    tool: made.name,
    args: entry.verdict.kind === 'invalid' ? undefined : (entry.args ?? made.args),
    asRun: entry.asRun ?? false,
    argsInput: entry.argsInput,
    definition: entry.definition,
    facts: entry.facts ?? {},
    digest: entry.digest,
    verdict: entry.verdict,
    policies: entry.policies ?? [],
    review: entry.review,
    handoff: entry.handoff ?? false,
    nested: false,
    editMessage: undefined,
    moved: false,
    changes: 0,
    attempts: 0,
    resumable: false,
    handedOver: undefined,
    waits: [],
    steps: noEntries(),
    phase: { at: 'judged' },
  }
  // An array that grows has room for seventeen: most turns have one call.
  if (at.calls.length === 0) at.calls = [call]
  else at.calls.push(call)
}

function stepIs(call: Call, name: string, result: { value: JsonValue | undefined } | null): void {
  call.steps = put(call.steps, name, result)
}

function agentChanged(state: ThreadState, entry: EntryOf<'agent.changed'>): void {
  const at = frame(state, entry.frame)
  const before = at.way.findIndex(({ id }) => id === entry.agent.id)
  at.way = [...(before < 0 ? at.way : at.way.slice(0, before)), entry.agent]
  at.agent = entry.agent
  at.outcomes = []
  markAgent(state, entry)
  const current = openRun(state)
  if (at.key === current.id) current.changes = [...current.changes, { at: at.messages.length, agent: entry.agent }]
  if (!entry.shown) return
  at.shown = { pieces: entry.shown, since: at.messages.length }
}

function runSettled(state: ThreadState, entry: EntryOf<'run.settled'>): void {
  const current = openRun(state)
  for (const at of current.frames.values())
    if (at.calls.length > 0) throw invalid(state, `call ${at.calls[0]?.key} has no result`)
  for (const at of current.frames.values()) at.messages.push(...at.queued.splice(0))
  if (entry.message) state.messages.push(entry.message)
  current.status = entry.status
  current.reason = entry.reason
}
