import type { Actor, Decision } from '../protocol/decision.ts'
import type {
  AgentRef,
  EntryOf,
  GuardrailResult,
  PolicyMark,
  ShownPiece,
  Usage,
  Verdict,
} from '../protocol/entries/entry.ts'
import type { Grant } from '../protocol/grant.ts'
import type { CallKey, FrameKey } from '../protocol/ids.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { InputMessage, ToolResult } from '../protocol/message.ts'
import type { Review } from '../protocol/request.ts'
import type { SpanLink } from '../protocol/trace-context.ts'
import { Definitions } from './definitions.ts'
import type { RunMark } from './run-mark.ts'
import { noEntries } from './shared-map.ts'
import { Transcript } from './transcript.ts'

/**
 * The state of a thread, folded from its journal. Only {@link ./fold.ts} writes it. It holds the conversation and the
 * calls of the current turn, so its size depends on the conversation, not on the number of pauses.
 */
export interface ThreadState {
  readonly tenant: string
  readonly threadId: string
  /** The number of entries folded so far. */
  version: number
  /** The root's history. Tool results enter it once a whole turn is settled, in call order (G6). */
  readonly messages: Transcript
  /** Tool definitions seen in this thread, by fingerprint. */
  readonly definitions: Definitions
  /** Open questions that the application asked outside a run, by request id. */
  asked: ReadonlyMap<string, AskedRequest>
  /** Grants that were given in this thread, by id. */
  grants: ReadonlyMap<string, ThreadGrant>
  /** How often a grant was given or revoked. */
  grantChanges: number
  /** The idempotency keys of its answers, shortened. `null`: they are too many. See {@link ./answer-keys.ts}. */
  keys: string | null
  /** The latest runs, the newest last. */
  marks: readonly RunMark[]
  run: Run | null
}

/** A grant, and what this thread spent of it. */
interface ThreadGrant {
  readonly grant: Grant
  readonly at: number
  /** The sequence number of the entry that created it. */
  readonly seq: number
  used: number
  spent: number
  /** The sequence number of the entry that revoked it. */
  revoked: number | null
}

/** The latest run of a thread. */
export interface Run {
  readonly id: string
  /** The agent that drives it. An operator may change its version. */
  agent: EntryOf<'run.opened'>['agent']
  /** Its one call comes from outside: it goes on only when its host asks for that. */
  readonly driver: EntryOf<'run.opened'>['driver']
  /** The host of that call. */
  readonly host: EntryOf<'run.opened'>['host']
  context: JsonValue | undefined
  /** The input of the run that this one is nested in, if it was given on resuming. */
  toolInput: JsonValue | undefined
  readonly options: EntryOf<'run.opened'>['options']
  /** Where what it adds to the conversation begins, behind its input. */
  readonly from: number
  /** The agents that took over in the root frame, and where in the conversation. */
  changes: readonly { readonly at: number; readonly agent: AgentRef }[]
  /** Its session: where its own messages begin in the conversation, and how many of them the session holds. */
  readonly session: { readonly id: string; readonly from: number; written: number } | undefined
  readonly trace: EntryOf<'run.opened'>['trace']
  usage: Usage
  /** What guardrails of its agents returned, in order. */
  guardrails: readonly GuardrailResult[]
  /** How often each exact call was rejected. */
  rejections: ReadonlyMap<string, number>
  readonly frames: Map<FrameKey, Frame>
  /** The calls of the current turns that requests are about, open or settled, by request id. */
  askedAbout: ReadonlyMap<string, CallKey>
  status: 'open' | 'completed' | 'aborted'
  reason: string | undefined
}

/** What a host may ask for. `look`: bring the call up to date, and start nothing. `execute`, `hand-over`: also start it, here or at the host. */
export type HostAsks = 'look' | 'execute' | 'hand-over'

/** One conversation inside a run: the root's, or that of an agent called as a tool. */
export interface Frame {
  readonly key: FrameKey
  /** The current agent. A hand-off changes it. */
  agent: AgentRef
  /**
   * The agents that the conversation was handed through, including the current one. Handing back to one of them removes
   * those after it.
   */
  way: readonly AgentRef[]
  readonly messages: Transcript
  /**
   * The conversation as a hand-off filtered it for the current agent: messages and ranges of the frame's messages, then the frame's messages
   * from `since` on.
   */
  shown: { readonly pieces: readonly ShownPiece[]; readonly since: number } | undefined
  /** The turn limit of a nested frame; the root uses the run's. `null`: no limit. */
  readonly maxTurns: number | null | undefined
  /** The application's data of a nested frame that has its own. Absent: that of the frame around it, or the run's. */
  readonly context: JsonValue | undefined
  /** The number of model answers in this run, including discarded ones. */
  turn: number
  /** Whether one of them was accepted. */
  answered: boolean
  /** The calls of the last answer, until all are settled. */
  calls: Call[]
  /** How many of them have a result. */
  settled: number
  /** How the calls of the last turn ended, in call order. Empty once the model has answered again or another agent took over. */
  outcomes: readonly CallOutcome[]
  /** Input that arrived after the last answer and that the model has not read. */
  queued: InputMessage[]
  /** The messages among them that the engine wrote. */
  notes: ReadonlySet<InputMessage>
  /** How often staged input was cleared. */
  cleared: number
  /** The review that must be passed before the last answer ends the frame. */
  gate: { readonly request: AskedRequest; answer: Answer | undefined } | undefined
}

/** A call of the current turn. It stays here until all calls of the turn are settled. */
export interface Call {
  readonly key: CallKey
  /** The id that the model gave it. Messages refer to it; it is never the call's identity. */
  readonly id: string
  /** The agent that made it. */
  readonly agent: AgentRef
  readonly tool: string
  /** The recorded arguments. Absent if they could not be parsed. */
  readonly args: JsonObject | undefined
  /** `args` are exactly what the body gets. Otherwise they are parsed again before it runs. */
  readonly asRun: boolean
  /** The input that `args` were parsed from, if the schema does not accept its own output. */
  readonly argsInput: JsonObject | undefined
  readonly definition: string | undefined
  readonly facts: CallFacts
  readonly digest: string | undefined
  readonly verdict: Verdict
  /** What each policy said when it was last judged. */
  policies: readonly PolicyMark[]
  /** The run was moved to another version of its agent before it started: it is judged again, whatever judged it before. */
  moved: boolean
  /** The review that people would have been asked for, if a grant cleared it instead. */
  readonly review: Review | undefined
  /** It is a hand-off: it starts after all other calls of its turn. */
  readonly handoff: boolean
  /** It runs in a frame of its own and has no body. */
  nested: boolean
  /** Why a person changed it, for the model. */
  editMessage: string | undefined
  /** How often it was asked about again because it was no longer what was approved. */
  changes: number
  /** How often its body was started. */
  attempts: number
  /** Its body may be re-entered after a restart. */
  resumable: boolean
  /** Its host runs it, since when: see `call.started`. */
  handedOver: { readonly by: string; readonly at: number } | undefined
  /** The questions that its body asked, in order. */
  waits: Wait[]
  /** The results of its body's steps by name. `null`: the step started and did not end. */
  steps: ReadonlyMap<string, { value: JsonValue | undefined } | null>
  phase: Phase
}

/** How a call of a turn ended. */
export interface CallOutcome {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject | undefined
  readonly how: 'finished' | EntryOf<'call.refused'>['cause']
  /** What the model reads. */
  readonly result: ToolResult
}

/** A question of a tool body. */
export interface Wait {
  readonly request: AskedRequest
  answer: WaitAnswer | undefined
}

/** How a body's question was settled. */
export type WaitAnswer =
  | { kind: 'answered'; value: JsonValue; by: Actor }
  | { kind: 'closed'; status: EntryOf<'request.closed'>['status']; reason: string | undefined }

/** The preview and preconditions of a call: part of its digest. */
export interface CallFacts {
  preview?: JsonValue
  /** The part of the preview that is compared before the call runs, if not all of it. */
  previewCompare?: JsonValue
  preconditions?: JsonValue
}

/** The phase of a call. */
type Phase =
  | { at: 'judged' }
  /** Waits for a decision. `unknown` is set if it was started and its outcome is unknown. */
  | { at: 'held'; request: AskedRequest; unknown?: Release }
  /** Its request was settled by a person or a deadline, and the driver has not acted on it yet. */
  | { at: 'answered'; request: AskedRequest; answer: Answer; unknown?: Release }
  | { at: 'released'; release: Release; request?: AskedRequest; unknown?: Release }
  /** Running, waiting or unknown. The driver knows which. */
  | { at: 'started'; release: Release; request?: AskedRequest }
  | { at: 'finished'; result: ToolResult }
  | { at: 'refused'; result: ToolResult; cause: EntryOf<'call.refused'>['cause'] }

/** A request in the journal. */
export interface AskedRequest {
  readonly opened: EntryOf<'request.opened'>
  readonly openedAt: number
  version: number
  problems: string[] | undefined
  /** It was escalated because nobody answered in time. */
  escalated: boolean
  /** The span in which it was decided or answered last. */
  decidedIn?: SpanLink | undefined
}

/** The reasons for asking about a call that had already been allowed to run. */
export const askAgainReasons = [
  'changed',
  'unknown_outcome',
  'grant_gone',
  'policy_changed',
  'decision_expired',
] as const

/** Why a call is asked about again. */
export type AskAgainReason = (typeof askAgainReasons)[number]

/** How a request was settled. */
export type Answer =
  | { kind: 'decision'; decision: Decision; by: Actor; at: number; effectiveAt: number }
  | { kind: 'closed'; status: EntryOf<'request.closed'>['status']; by: Actor; reason: string | undefined }

/** The single-use right to run one exact call. */
export interface Release {
  readonly tool: string
  readonly definition: string
  readonly args: JsonObject
  /** `args` are exactly what the body gets. Otherwise they are parsed again before it runs. */
  readonly asRun: boolean
  readonly argsInput: JsonObject | undefined
  readonly facts: CallFacts
  readonly digest: string
  readonly by: Actor
  readonly request: string | undefined
  /** The amount to deduct from the cap of the grant that released it. */
  readonly amount: number | undefined
  readonly edited: boolean
  /** Why it was changed, for the model. */
  readonly editMessage: string | undefined
  readonly notBefore: number
  /** It has an undo window, which ends at `notBefore`. */
  readonly delayed: boolean
  /** When the decision that released it stops counting. */
  readonly validUntil: number | undefined
}

/** The state of an empty thread. */
export function emptyState(tenant: string, threadId: string): ThreadState {
  return {
    tenant,
    threadId,
    version: 0,
    messages: new Transcript(),
    definitions: new Definitions(),
    asked: noEntries(),
    grants: noEntries(),
    grantChanges: 0,
    keys: '',
    marks: [],
    run: null,
  }
}
