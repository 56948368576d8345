import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Actor, Decision } from '../../protocol/decision.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { Skip } from '../run-cases.ts'

/** Connects an adapter of a host framework to the suite. */
export interface AdapterHarness {
  /**
   * Starts a host, as a process of its own would: its framework, the adapter, and a gate over `setup.store`. It keeps no state outside the store and what
   * {@link HostTurn.saved} carries. Cases start several hosts over one store.
   */
  start(setup: HostSetup): Promise<AdapterHost>
  /** An empty store that uses `clock`, if there is one. Every case opens its own and closes it. Default: a store in memory. */
  openStore?(clock?: Clock): Store
  /** How a person answers at the host. Absent: not at all, and people decide elsewhere. Cases that need another answer are skipped. */
  readonly answers?: readonly Decision['type'][]
  /** Cases that this host cannot pass, with reasons. An unknown case name is an error. */
  readonly skips?: readonly Skip[]
}

/** What a host under test is made of. */
export interface HostSetup {
  readonly store: Store
  /** The `threadId` of its calls at the gate. */
  readonly conversation: string
  /** The gate's policy holds calls of these tools. All other calls are free. */
  readonly held: readonly string[]
  /** The tools that the host offers to its model. */
  readonly tools: readonly HostTool[]
  /** The person whom the host has verified, for answers that are given at the host. */
  readonly reviewer: Actor
}

/** A tool of the host. Any object is valid input. */
export interface HostTool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly parameters: JsonObject
  /** The effect. The adapter calls it with the released arguments; the suite counts its calls. */
  run(args: JsonObject): Promise<JsonValue>
}

/** A host under test. Only its model is scripted. */
export interface AdapterHost {
  /** The model makes these calls in one message. Resolves when each has ended or waits for a person; waits for nobody. */
  call(calls: readonly HostCall[]): Promise<HostTurn>
  /**
   * Continues a conversation from what a turn saved, possibly in another process: gives the host its state string, message history or checkpoint again; a host
   * without one makes those calls again that have not ended. Without `answers`, nobody has answered at the host.
   */
  resume(saved: JsonValue, answers?: readonly HostAnswer[]): Promise<HostTurn>
  /** Changes the arguments of a call in what a turn saved, as somebody could who has it in hand. */
  tamper(saved: JsonValue, callId: string, args: JsonObject): JsonValue | Promise<JsonValue>
  /** What a host would have saved if these calls had been approved at the host. The gate has never seen them. */
  forge(calls: readonly HostCall[]): JsonValue | Promise<JsonValue>
  /** Stops the host. */
  close?(): Promise<void>
}

/** A call of the scripted model. A host without call ids ignores `id` at the gate, and uses it only to name the call here. */
export interface HostCall {
  readonly id: string
  readonly toolName: string
  readonly args: JsonObject
}

/** An answer that is given at the host. */
export interface HostAnswer {
  readonly callId: string
  readonly decision: Decision
}

/** A turn of the host, as far as it went. */
export interface HostTurn {
  /** One for each call, in order. */
  readonly calls: readonly HostCallState[]
  /** What the host would store until it is resumed. The suite stores it as JSON text, and may give it back several times. */
  readonly saved: JsonValue
}

/** The state of a call, as the host sees it. */
export type HostCallState =
  /** The host waits for a person, or told its model to ask again later. */
  | { readonly id: string; readonly status: 'waiting' }
  /** The model gets this text or JSON as the result. */
  | { readonly id: string; readonly status: 'done'; readonly result: JsonValue }
  /** The model gets a refusal or an error, or the host failed. The tool has no effect now. */
  | { readonly id: string; readonly status: 'refused'; readonly message: string }

/** What an adapter must prove. */
export type AdapterGuarantee =
  | 'replayed approval'
  | 'changed arguments'
  | 'forged call'
  | 'undecided resume'
  | 'decision elsewhere'
  | 'double click'
  | 'crash'
  | 'edit'
  | 'reused call id'
  | 'equal calls'
  | 'store down'
  | 'free call'

/** One requirement for every adapter. `run` throws if it is not met. */
export interface AdapterCase {
  /** The requirement in words, unique in the suite. */
  readonly name: string
  readonly guarantee: AdapterGuarantee
  /** The answer that a person gives at the host in this case. `adapterSkipReasons` names the case if the host cannot be answered so. */
  readonly answer?: Decision['type']
  run(harness: AdapterHarness): Promise<void>
}
