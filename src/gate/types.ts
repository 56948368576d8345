import type { ToolDefinition } from '../core/digest.ts'
import type { RequestRef } from '../desk/find.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../ports/store.ts'
import type { Actor, Decision } from '../protocol/decision.ts'
import type { CallKey } from '../protocol/ids.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { Message } from '../protocol/message.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { UnknownOutcomePolicy } from '../runtime/definition/tool/approval.ts'

/** Options of `createGate`. */
export interface GateOptions {
  store: Store
  /** Decides which calls need a person. Of several, the most restrictive verdict wins. Rules may name any tool: a gate learns of tools by their calls. */
  policy: Policy | readonly Policy[]
  /** The kind of host, such as `'ai-sdk'`, `'mcp'` or `'claude-code'`. Part of each call's identity. */
  source: string
  /** Default: the tenant of `store`. */
  tenant?: string
  /** The agent that requests, lists and grants name. Default: `source`. */
  agent?: string
  /** How long `wait` waits unless it is told. Default 45. */
  holdSeconds?: number
  /** What happens to a call whose process died while it ran. Default `'ask'`. */
  onUnknownOutcome?: UnknownOutcomePolicy
  /**
   * What becomes of a call that was handed over by `spend`, and whose end nobody reports. `'record'` (default): it stays `unknown`. `askAfterSeconds`: people
   * are asked what happened, by the next process of this source that judges or sweeps after that time.
   */
  onHandedOver?: 'record' | { askAfterSeconds: number }
  /** How long a result that nobody received is kept for an equal call without a `callId`. Default 900. */
  attachSeconds?: number
}

/** A tool call that another agent framework makes. */
export interface ForeignCall {
  /** The host's name of the conversation. */
  threadId: string
  /**
   * The host's id of the call, unique in its conversation together with the arguments. Without one, equal calls are told apart by their order: see the
   * guide.
   */
  callId?: string
  /**
   * The host's id of this one use of the call: a call that its model makes again has another. It is no part of the call's identity. Given to `spend`, it lets
   * `finished` find the call, also if a person has changed its arguments.
   */
  useId?: string
  toolName: string
  args: JsonObject
  /** What the host offers to its model. A call is asked about again if it changed. Left out: as it was when the call was judged. */
  definition?: Omit<ToolDefinition, 'name'> & { name?: string }
  /** On whose behalf the host calls. Calls of different principals never meet. */
  principal?: string
  /** The application's data, which policies read. */
  context?: JsonObject
  /** Shows a person the effect. If another one is given when the call starts, people are asked again. */
  preview?: JsonValue
  /** What the call depends on. If another value is given when the call starts, people are asked again. */
  preconditions?: JsonValue
  /** The conversation that led to the call, or the end of it. Stored with the call, for people and policies. */
  messages?: readonly Message[]
}

/** A judged call in the journal. */
export interface GateCall {
  readonly callKey: CallKey
  readonly digest: string
  /** The thread of its journal. */
  readonly threadId: string
}

/** The state of a call at the gate. Only `execute` and `spend` allow it to run. */
export type GateState =
  /** No person has to decide. It is recorded and released like any other. */
  | { status: 'free'; call: GateCall }
  /** A person has to decide, or did so and may still withdraw that. */
  | { status: 'held'; request: HitlRequest; call: GateCall }
  /** Approved. After an edit, `args` are the edited ones. */
  | { status: 'released'; args: JsonObject; by: Actor; call: GateCall }
  /** It does not run: denied, rejected, answered in its place, expired, or never judged. `message` is for the model. */
  | { status: 'refused'; message: string; isError: boolean }
  /** It ran: this is what it returned. */
  | { status: 'finished'; result: JsonValue; isError: boolean }
  /** It was started, and its end is not known: it runs somewhere, was handed over, or its process died. A person is asked with `request`. */
  | { status: 'unknown'; request?: HitlRequest }

/** The second argument of the function that `execute` calls. */
export interface GateContext {
  /** The same for every attempt at this released call. Pass it on to the system that the tool calls. */
  readonly idempotencyKey: string
  /** The person or grant that approved the call. */
  readonly approvedBy?: Actor
  readonly signal: AbortSignal
}

/** Options of `wait`. */
export interface GateWaitOptions {
  /** Ends the wait: it rejects with the signal's reason. The request stays open. */
  signal?: AbortSignal
  /** Default: `holdSeconds` of the gate. */
  timeoutSeconds?: number
}

/** Options of `execute`. */
export interface GateExecuteOptions {
  /**
   * Says that the host no longer waits. The tool is not interrupted; its result is recorded, and an equal call without a `callId` gets it. A call that runs
   * elsewhere is not waited for any longer.
   */
  signal?: AbortSignal
}

/** Holds tool calls of other agents until people have decided, and lets each run once. */
export interface Gate {
  /** The names of its policies. Adapters look for `hostPolicy` among them. */
  readonly policies: readonly string[]
  /** Judges the calls of one message, all before it resolves. Asking again reads what was recorded. */
  judge(calls: readonly ForeignCall[]): Promise<GateState[]>
  /** Reads the state of a call, and writes nothing. */
  state(call: ForeignCall): Promise<GateState>
  /** Waits until a held call is decided. Resolves with `held` when the time is over; the request stays open. */
  wait(call: ForeignCall, options?: GateWaitOptions): Promise<GateState>
  /**
   * Runs a released call, once: spends the release, records start and end. A call that ran already is not run again: its result is returned.
   * Throws `HoldpointNotReleased`, `OutcomeUnknown`, or what `run` threw (`CallFailed` when that is repeated).
   */
  execute<T extends JsonValue>(
    call: ForeignCall,
    run: (args: JsonObject, context: GateContext) => Promise<T>,
    options?: GateExecuteOptions,
  ): Promise<T>
  /** For hosts that run the tool themselves: spends the release. `released` is answered to one caller only. */
  spend(call: ForeignCall): Promise<GateState>
  /** Records how a call ended that was handed over by `spend`. It is found by its `useId`, else by its arguments, as they were made or edited. */
  finished(call: ForeignCall, end: { result?: JsonValue; error?: string }): Promise<void>
  /** Asks people about calls that were handed over too long ago: see `onHandedOver`. Resolves to how many. `judge` does it too, now and then. */
  sweep(): Promise<number>
  /** Decides a request, as every other door does. Take `by` from a verified credential. */
  decide(request: RequestRef, decision: Decision, options: { by: Actor; version?: number }): Promise<HitlRequest>
  /**
   * Calls `wake` for each request of this gate that was settled, at least once, also if this process was not running then. Call `wait` in it: a decision may
   * still be withdrawn. A `wake` that rejects is called again later.
   */
  onSettled(
    wake: (request: HitlRequest, bookmark: JsonValue | Uint8Array | undefined) => Promise<void>,
  ): AsyncDisposable
  /** Keeps what the host needs to continue a conversation, for `onSettled`. */
  bookmark(threadId: string, value: JsonValue | Uint8Array): Promise<void>
  /** What `bookmark` or `bookmarkOnce` keeps for a conversation, under a name or without one. */
  bookmarked(threadId: string, name?: string): Promise<JsonValue | Uint8Array | undefined>
  /**
   * Keeps a value unless there is one already, whichever process writes at the same time. Resolves to the one that is kept: what a host that runs its code
   * again must find as it was the first time. With a `name`, it is another value than the conversation's bookmark. All are erased with the conversation.
   */
  bookmarkOnce(
    threadId: string,
    value: JsonValue | Uint8Array,
    name?: string,
  ): Promise<{ value: JsonValue | Uint8Array; isNew: boolean }>
}
