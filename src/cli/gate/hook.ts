import type { ForeignCall } from '../../gate.ts'
import type { JsonObject } from '../../index.ts'
import type { GateAnswer } from '../../protocol/api/gate.ts'

/** The coding agents whose hooks are known. */
export const hostNames = ['claude-code', 'codex', 'gemini', 'cursor', 'copilot'] as const
/** A coding agent whose hooks are known. */
export type HostName = (typeof hostNames)[number]

/** A call as hooks describe it. Equal calls of a conversation are told apart by their order: a call that is made again has another id. */
export type HookCall = Pick<ForeignCall, 'threadId' | 'useId' | 'toolName' | 'args' | 'context'>

/** How a call ended, as the host says. */
type HookEnd = { result: string } | { error: string }

/** What a hook is asked. */
export type Hook =
  /** May this call run? */
  | { readonly asks: 'may-run'; readonly event: string; readonly call: HookCall }
  /** This call has ended. */
  | { readonly asks: 'nothing'; readonly call: HookCall; readonly end: HookEnd }

/** What the host is told about a call. */
export type HookVerdict =
  /** No person was needed. The host's own rules still apply. */
  | { readonly say: 'free' }
  /** Released. `args` are given if a person changed them. */
  | { readonly say: 'released'; readonly args?: JsonObject }
  | { readonly say: 'deny'; readonly reason: string }

/** What the process prints, and how it ends. */
export interface HookAnswer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** One coding agent: the JSON that its hooks read and write. */
export interface HookHost {
  readonly name: HostName
  /** How long the host waits for a hook unless its configuration says otherwise. */
  readonly limitSeconds: number
  /** Whether the input looks like this host's. */
  isFrom(input: JsonObject): boolean
  /** Reads the input. Throws `HookInvalid`. */
  read(input: JsonObject): Hook
  /** Why the host cannot run a call with these arguments instead of its own, if it cannot. */
  editProblem(event: string, given: JsonObject, edited: JsonObject): string | undefined
  /** The answer to the question whether a call may run. */
  answer(event: string, verdict: HookVerdict): HookAnswer
}

/** The input of a hook is not what its host sends. */
export class HookInvalid extends Error {}

/** The gate that a hook asks: at a store, or at a gateway. */
export interface HookGate {
  judge(call: HookCall): Promise<GateAnswer>
  wait(call: HookCall, options: { timeoutSeconds: number; signal: AbortSignal }): Promise<GateAnswer>
  spend(call: HookCall): Promise<GateAnswer>
  finished(call: HookCall, end: HookEnd): Promise<void>
}
