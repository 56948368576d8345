import type { Actor, Decision } from '../protocol/decision.ts'
import type { AgentRef, EntryOf, PolicyMark, Review, Usage, Verdict } from '../protocol/entries/entry.ts'
import type { Grant } from '../protocol/grant.ts'
import { type CallKey, type FrameKey, frameOf } from '../protocol/ids.ts'
import { canonicalJson } from '../protocol/json/canonical.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { AssistantMessage, InputMessage, Message, ToolResult } from '../protocol/message.ts'
import type { ToolDefinition } from './digest.ts'

/**
 * What a journal amounts to. Folded by {@link ./fold.ts} and by nothing else; everybody else only reads it.
 * It holds the conversation and the calls of the current turn, so its size follows the conversation, not the number of pauses.
 */
export interface ThreadState {
  readonly tenant: string
  readonly threadId: string
  /** The number of entries folded so far. */
  version: number
  /** The root's history. Tool results enter it when a whole turn is settled, in call order (G6). */
  readonly messages: Message[]
  /** Definitions seen in this thread, by fingerprint. */
  readonly definitions: Map<string, ToolDefinition>
  /** Questions that the application asked by itself and that are open, by request id. */
  readonly asked: Map<string, AskedRequest>
  /** Standing decisions that were given in this thread, by id. */
  readonly grants: Map<string, ThreadGrant>
  /** How often one was given or taken back. */
  grantChanges: number
  run: Run | null
}

/** A standing decision, and what this thread spent of it. */
interface ThreadGrant {
  readonly grant: Grant
  readonly at: number
  /** The sequence number of the entry that gave it. */
  readonly seq: number
  used: number
  spent: number
  /** The sequence number of the entry that took it back. */
  revoked: number | null
}

/** The latest run of a thread. */
export interface Run {
  readonly id: string
  readonly agent: EntryOf<'run.opened'>['agent']
  context: JsonValue | undefined
  /** The input of the run that it is nested in, if whoever took it up said so. */
  toolInput: JsonValue | undefined
  readonly options: EntryOf<'run.opened'>['options']
  /** Its session: where in the conversation its own messages begin, and how many of them are in the session. */
  readonly session: { readonly id: string; readonly from: number; written: number } | undefined
  readonly trace: EntryOf<'run.opened'>['trace']
  usage: Usage
  /** How often each exact call was rejected by somebody. */
  readonly rejections: Map<string, number>
  readonly frames: Map<FrameKey, Frame>
  /** The calls that requests of this run were about, open or not, by the requests' ids. */
  readonly askedAbout: Map<string, CallKey>
  status: 'open' | 'completed' | 'aborted'
  reason: string | undefined
}

/** One conversation inside a run: the root's, or that of an agent which another one called as a tool. */
export interface Frame {
  readonly key: FrameKey
  /** The agent whose turn it is; a hand-off changes it. */
  agent: AgentRef
  /** Through whose hands the conversation came to it, itself included. Handing it back to one of them ends what came in between. */
  way: readonly AgentRef[]
  readonly messages: Message[]
  /** What a hand-off left of the conversation for the agent whose turn it is: these, then the messages from `since` on. */
  shown: { readonly messages: readonly Message[]; readonly since: number } | undefined
  /** The limit of a nested frame; the root's is the run's. `null` is no limit. */
  readonly maxTurns: number | null | undefined
  /** Model answers so far in this run, with those that were discarded. */
  turn: number
  /** Whether one of them was taken. */
  answered: boolean
  /** The calls of the last answer, until all of them are settled. */
  calls: Call[]
  /** How many of them have a result. */
  settled: number
  /** Input that came after the last answer and that the model has not read. */
  queued: InputMessage[]
  /** What stands between the last answer and the end of the frame. */
  gate: { readonly request: AskedRequest; answer: Answer | undefined } | undefined
}

/** A call that is not settled yet, or whose siblings are not. */
export interface Call {
  readonly key: CallKey
  /** The id that the model gave it: its address in messages, never its identity. */
  readonly id: string
  /** Who made it. */
  readonly agent: AgentRef
  readonly tool: string
  /** The recorded arguments; absent when they could not be parsed. */
  readonly args: JsonObject | undefined
  /** `args` are exactly what the body gets; otherwise they are parsed once more before it runs. */
  readonly asRun: boolean
  /** What `args` were made of, if the schema does not accept its own output. */
  readonly argsInput: JsonObject | undefined
  readonly definition: string | undefined
  readonly facts: CallFacts
  readonly digest: string | undefined
  readonly verdict: Verdict
  /** What each policy said when it was judged the last time. */
  policies: readonly PolicyMark[]
  /** How people would have been asked, if a grant clears it instead. */
  readonly review: Review | undefined
  /** It passes the conversation on, after everything else of its turn. */
  readonly handoff: boolean
  /** It has no body but a frame of its own. */
  nested: boolean
  /** Why a person changed it, for the model. */
  editMessage: string | undefined
  /** How often it was asked about again because it was no longer what was approved. */
  changes: number
  /** How often its body was started. */
  attempts: number
  /** Its body may be entered again after a restart. */
  resumable: boolean
  /** What its body asked, in order. */
  waits: Wait[]
  /** The results of its body's steps by name; a step without an end has none. */
  steps: Map<string, { value: JsonValue | undefined } | null>
  phase: Phase
}

/** A question that a body asked and waited for. */
export interface Wait {
  readonly request: AskedRequest
  answer: WaitAnswer | undefined
}

/** How a body's question was settled. */
export type WaitAnswer =
  | { kind: 'answered'; value: JsonValue; by: Actor }
  | { kind: 'closed'; status: EntryOf<'request.closed'>['status']; reason: string | undefined }

/** What a call shows and depends on: part of its digest. */
export interface CallFacts {
  preview?: JsonValue
  /** What of the preview is compared before the call runs, if that is not all of it. */
  previewCompare?: JsonValue
  preconditions?: JsonValue
}

/** Where a call stands. */
type Phase =
  | { at: 'judged' }
  /** Waits for a decision. `unknown` is set when it was started and nobody knows how that ended. */
  | { at: 'held'; request: AskedRequest; unknown?: Release }
  /** A person (or time) settled the request and the driver has not acted on it yet. */
  | { at: 'answered'; request: AskedRequest; answer: Answer; unknown?: Release }
  | { at: 'released'; release: Release; request?: AskedRequest; unknown?: Release }
  /** Running, waiting or unknown: who drives it knows which. */
  | { at: 'started'; release: Release; request?: AskedRequest }
  | { at: 'finished'; result: ToolResult }
  | { at: 'refused'; result: ToolResult }

/** A request as the journal has it. */
export interface AskedRequest {
  readonly opened: EntryOf<'request.opened'>
  readonly openedAt: number
  version: number
  problems: string[] | undefined
  /** Nobody answered in time, and it was passed on. */
  escalated: boolean
}

const askAgainReasons = ['changed', 'unknown_outcome', 'grant_gone', 'policy_changed'] as const
/** Why a call is asked about once more, as it is now. */
export type AskAgainReason = (typeof askAgainReasons)[number]

/** Whether a request is about a call that somebody, or something, had let run before. */
export function isAskedAgain({ reason }: EntryOf<'request.opened'>): boolean {
  return (askAgainReasons as readonly (string | undefined)[]).includes(reason)
}

/** Whether only a person may answer: something is different from what was decided before, or a person wanted it different. */
export function needsPerson({ opened, problems }: AskedRequest): boolean {
  return isAskedAgain(opened) || opened.reason === 'rejected_before' || problems !== undefined
}

/** How a request was settled. */
export type Answer =
  | { kind: 'decision'; decision: Decision; by: Actor; at: number; effectiveAt: number }
  | { kind: 'closed'; status: EntryOf<'request.closed'>['status']; by: Actor; reason: string | undefined }

/** The single-use right to run one exact call, with what exactly. */
export interface Release {
  readonly tool: string
  readonly definition: string
  readonly args: JsonObject
  /** `args` are exactly what the body gets; otherwise they are parsed once more before it runs. */
  readonly asRun: boolean
  readonly argsInput: JsonObject | undefined
  readonly facts: CallFacts
  readonly digest: string
  readonly by: Actor
  readonly request: string | undefined
  /** What it takes of the cap of the grant that released it. */
  readonly amount: number | undefined
  readonly edited: boolean
  /** Why it was changed, for the model. */
  readonly editMessage: string | undefined
  readonly notBefore: number
}

/** Whether starting on a release spends a use of a grant. Running the same call again does not. */
export function spendsGrant({ by }: Release): boolean {
  return by.kind === 'grant' && by.via !== 'retry'
}

/** The state of a thread that nothing happened in. */
export function emptyState(tenant: string, threadId: string): ThreadState {
  return {
    tenant,
    threadId,
    version: 0,
    messages: [],
    definitions: new Map(),
    asked: new Map(),
    grants: new Map(),
    grantChanges: 0,
    run: null,
  }
}

/** What makes two calls the same to somebody who rejects them. */
export function sameCallKey(tool: string, args: JsonObject): string {
  return canonicalJson([tool, args])
}

/** Whether nothing more can happen to a call. */
export function isSettled(call: Call): call is Call & { phase: { at: 'finished' | 'refused'; result: ToolResult } } {
  return call.phase.at === 'finished' || call.phase.at === 'refused'
}

/** The request that let a call run which has a run of its own inside that is not over. */
export function outerRequest({ nested, phase }: Call): AskedRequest | undefined {
  return nested && phase.at === 'started' ? phase.request : undefined
}

/** The questions that a body waits for now; more than one if it asked several at once. */
export function openWaits(call: Call): Wait[] {
  return call.phase.at === 'started' ? call.waits.filter((wait) => !wait.answer) : []
}

/** How a question of a call's body was closed without an answer, if one was: that ends the body. */
export function closedWait(call: Call): Extract<WaitAnswer, { kind: 'closed' }> | undefined {
  const closed = call.waits.find((wait) => wait.answer?.kind === 'closed')?.answer
  return call.phase.at === 'started' && closed?.kind === 'closed' ? closed : undefined
}

/** What waits for people, in call order, then what the application asked by itself. */
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

/** A request that waits for people, by its id. */
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

/** The frames of the run, outer ones before those that they opened. */
export function framesOf({ run }: ThreadState): Frame[] {
  return run ? [...run.frames.values()] : []
}

/** Every call of the current turns, in call order: those of a nested run come where its call stands. */
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

/** Whether a frame is the root's. */
export function isRoot(run: Run, frame: Frame): boolean {
  return frame.key === run.id
}

/** The frames from the root to this one, both included. */
export function lineOf(run: Run, key: FrameKey): Frame[] {
  const frame = run.frames.get(key)
  if (!frame) return []
  return key === run.id ? [frame] : [...lineOf(run, frameOf(key as CallKey)), frame]
}

/** The ids of the agents from the root to who asks in a frame, both included. */
export function pathOf(run: Run, key: FrameKey): string[] {
  const ids = [run.agent.id, ...lineOf(run, key).flatMap(({ way }) => way.map(({ id }) => id))]
  return ids.filter((id, i) => id !== ids[i - 1])
}

/** Where in the tree of agents a frame is. */
export function placeOf(run: Run, key: FrameKey): { path: string[]; depth: number } {
  return { path: pathOf(run, key), depth: lineOf(run, key).length - 1 }
}

/** The conversation as the agent of a frame is shown it. */
export function shownMessages({ messages, shown }: Frame): Message[] {
  return shown ? [...shown.messages, ...messages.slice(shown.since)] : messages
}

/** The answer whose calls are open in a frame, and the conversation that led to it. */
export function lastAnswer(frame: Frame): { messages: Message[]; message: AssistantMessage } {
  const shown = shownMessages(frame)
  const last = shown.at(-1)
  if (last?.role !== 'assistant') return { messages: shown, message: { role: 'assistant', content: '' } }
  return { messages: shown.slice(0, -1), message: last }
}

/** The call that a key names, if its turn is still open. */
export function findCall(state: ThreadState, key: CallKey): Call | undefined {
  const call = state.run?.frames.get(frameOf(key))?.calls[Number(key.slice(key.lastIndexOf('.') + 1))]
  return call?.key === key ? call : undefined
}

/** Whether a frame is inside a call that a person rejected meanwhile, at any depth. Nothing may start in it any more. */
export function isInsideRejected(state: ThreadState, frame: FrameKey): boolean {
  for (let key = frame; key.includes('/'); ) {
    // The key of a nested frame is that of the call that it is inside of.
    const call = key as CallKey
    if (findCall(state, call)?.phase.at === 'answered') return true
    key = frameOf(call)
  }
  return false
}
