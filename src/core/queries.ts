import { conversationKey } from '../protocol/conversation.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { type CallKey, type FrameKey, frameOf } from '../protocol/ids.ts'
import { canonicalJson } from '../protocol/json/canonical.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import type { AssistantMessage, InputMessage, Message } from '../protocol/message.ts'
import type { SpanLink } from '../protocol/trace-context.ts'
import {
  type AskedRequest,
  askAgainReasons,
  type Call,
  type Frame,
  type Release,
  type Run,
  type ThreadState,
  type Wait,
  type WaitAnswer,
} from './state.ts'

/** Whether a request is about a call that had already been allowed to run. */
export function isAskedAgain({ reason }: EntryOf<'request.opened'>): boolean {
  return (askAgainReasons as readonly (string | undefined)[]).includes(reason)
}

/** Whether only a person may answer: the call differs from what was decided, or a person asked for a change. */
export function needsPerson({ opened, problems }: AskedRequest): boolean {
  return isAskedAgain(opened) || opened.reason === 'rejected_before' || problems !== undefined
}

/** The key of the conversation that a run's call comes from, if it comes from outside. */
export function conversationOf({ host }: Pick<Run, 'host'>): string | undefined {
  return host && conversationKey(host)
}

/** What a request says of a run that is driven from outside. */
export function fromOutside({ driver, host }: Run): Pick<EntryOf<'request.opened'>, 'driver' | 'host'> {
  if (!driver) return {}
  if (!host) return { driver }
  const { source, conversation, call: callId, principal } = host
  const named = { ...(callId === undefined ? {} : { callId }), ...(principal === undefined ? {} : { principal }) }
  return { driver, host: { source, conversation, ...named } }
}

/** Whether starting on a release spends a use of a grant. A retry does not. */
export function spendsGrant({ by }: Release): boolean {
  return by.kind === 'grant' && by.via !== 'retry'
}

/** Two calls with the same key count as the same rejected call. */
export function sameCallKey(tool: string, args: JsonObject): string {
  return canonicalJson([tool, args])
}

/** A call that has its final result. */
export type SettledCall = Call & { phase: Extract<Call['phase'], { at: 'finished' | 'refused' }> }

/** Whether a call has its final result. */
export function isSettled(call: Call): call is SettledCall {
  return call.phase.at === 'finished' || call.phase.at === 'refused'
}

/**
 * How many more bodies may run at the same time. Counted from the journal, so that it holds on every machine. A body that waits for a person does not
 * count, and neither does a call that runs an agent: the calls of that agent do.
 */
export function freeSlots(run: Run): number {
  const { maxFunctionToolConcurrency: most } = run.options
  if (most === undefined) return Number.POSITIVE_INFINITY
  let running = 0
  for (const { calls } of run.frames.values())
    for (const call of calls)
      if (call.phase.at === 'started' && !call.nested && openWaits(call).length === 0) running += 1
  return Math.max(0, most - running)
}

/** Whether a call was started and nobody here knows how it ended. The host may know of one that was handed over. */
export function isLeft({ key, phase, nested, handedOver }: Call, running: ReadonlySet<CallKey>): boolean {
  return phase.at === 'started' && !nested && handedOver === undefined && !running.has(key)
}

/** The request that approved a call whose nested run is still open. */
export function outerRequest({ nested, phase }: Call): AskedRequest | undefined {
  return nested && phase.at === 'started' ? phase.request : undefined
}

/** The open questions of a body. It may ask several at once. */
export function openWaits(call: Call): Wait[] {
  return call.phase.at === 'started' ? call.waits.filter((wait) => !wait.answer) : []
}

/** The first question of a body that was closed without an answer, if any: that ends the body. */
export function closedWait(call: Call): Extract<WaitAnswer, { kind: 'closed' }> | undefined {
  const closed = call.waits.find((wait) => wait.answer?.kind === 'closed')?.answer
  return call.phase.at === 'started' && closed?.kind === 'closed' ? closed : undefined
}

/** All open requests: those of the run in call order, then the application's own questions. */
export function openRequests(state: ThreadState): AskedRequest[] {
  const open: AskedRequest[] = []
  for (const call of callsOf(state)) {
    if (call.phase.at === 'held') open.push(call.phase.request)
    else for (const wait of openWaits(call)) open.push(wait.request)
  }
  if (state.run) for (const { gate } of state.run.frames.values()) if (gate && !gate.answer) open.push(gate.request)
  for (const asked of state.asked.values()) open.push(asked)
  return open
}

/** Finds an open request by its id. */
export function findOpenRequest(state: ThreadState, id: string): AskedRequest | undefined {
  const { run, asked } = state
  const key = run?.askedAbout.get(id)
  const call = key === undefined ? undefined : findCall(state, key)
  if (call?.phase.at === 'held') return call.phase.request.opened.id === id ? call.phase.request : undefined
  const wait = call && openWaits(call).find(({ request }) => request.opened.id === id)
  if (wait) return wait.request
  const gate = framesOf(state).find((at) => at.gate?.request.opened.id === id)?.gate
  return gate && !gate.answer ? gate.request : asked.get(id)
}

/** The frames of the run, each before the frames nested in it. */
export function framesOf({ run }: ThreadState): Frame[] {
  return run ? [...run.frames.values()] : []
}

/**
 * Every call of the current turns, in call order. The calls of a nested run come at the place of the call that opened
 * it.
 */
export function callsOf({ run }: ThreadState): Call[] {
  const root = run?.frames.get(run.id)
  if (!run || !root) return []
  if (run.frames.size === 1) return root.calls
  const within = (frame: Frame): Call[] =>
    frame.calls.flatMap((call) => {
      const inner = call.nested ? run.frames.get(call.key) : undefined
      return inner ? [call, ...within(inner)] : [call]
    })
  return within(root)
}

/** Whether a frame is the root. */
export function isRoot(run: Run, frame: Frame): boolean {
  return frame.key === run.id
}

/** The frames from the root to this one, both included. */
export function lineOf(run: Run, key: FrameKey): Frame[] {
  const frame = run.frames.get(key)
  if (!frame) return []
  return key === run.id ? [frame] : [...lineOf(run, frameOf(key as CallKey)), frame]
}

/** The ids of the agents from the root to this frame, both included. */
export function pathOf(run: Run, key: FrameKey): string[] {
  const ids = [run.agent.id, ...lineOf(run, key).flatMap(({ way }) => way.map(({ id }) => id))]
  // A copy: what `filter` returns has room for sixteen more, and a request keeps it.
  return [...ids.filter((id, i) => id !== ids[i - 1])]
}

/** The position of a frame in the tree of agents. */
export function placeOf(run: Run, key: FrameKey): { path: string[]; depth: number } {
  return { path: pathOf(run, key), depth: lineOf(run, key).length - 1 }
}

/** The conversation as the current agent of a frame sees it. */
export function shownMessages({ messages, shown }: Frame): readonly Message[] {
  if (!shown) return messages.all
  const seen = shown.pieces.flatMap((piece) => ('role' in piece ? [piece] : messages.slice(piece.from, piece.to)))
  return [...seen, ...messages.slice(shown.since)]
}

/** Input of the root that was added and that its model has not read. */
export function stagedInput(run: Run): InputMessage[] {
  const root = run.frames.get(run.id)
  return root && run.status === 'open' ? root.queued.filter((message) => !root.notes.has(message)) : []
}

/** The answer whose calls are open in a frame, and the conversation before it. */
export function lastAnswer(frame: Frame): { messages: readonly Message[]; message: AssistantMessage } {
  const shown = shownMessages(frame)
  const last = shown.at(-1)
  if (last?.role !== 'assistant') return { messages: shown, message: { role: 'assistant', content: '' } }
  return { messages: shown.slice(0, -1), message: last }
}

/** The call with this key, if its turn is still open. */
export function findCall(state: ThreadState, key: CallKey): Call | undefined {
  const call = state.run?.frames.get(frameOf(key))?.calls[Number(key.slice(key.lastIndexOf('.') + 1))]
  return call?.key === key ? call : undefined
}

/** Whether a frame is inside a rejected call, at any depth. Nothing may start in such a frame. */
export function isInsideRejected(state: ThreadState, frame: FrameKey): boolean {
  for (let key = frame; key.includes('/'); ) {
    // A nested frame has the key of the call that opened it.
    const call = key as CallKey
    if (findCall(state, call)?.phase.at === 'answered') return true
    key = frameOf(call)
  }
  return false
}

/** The span in which a call was decided, if its decision stands. */
export function decidedIn({ phase }: Pick<Call, 'phase'>): SpanLink | undefined {
  const isDecided = phase.at === 'answered' || phase.at === 'released' || phase.at === 'started'
  return isDecided ? phase.request?.decidedIn : undefined
}

/** The spans in which people decided or answered what is acted on next: of calls, bodies' questions and gates. */
export function decisionSpans(state: ThreadState): SpanLink[] {
  const answered = [
    ...framesOf(state).flatMap(({ gate }) => (gate?.answer ? [gate.request.decidedIn] : [])),
    ...callsOf(state).flatMap((call) => [
      decidedIn(call),
      ...call.waits.flatMap(({ request, answer }) => (answer ? [request.decidedIn] : [])),
    ]),
  ]
  return answered.filter((link) => link !== undefined)
}
