import type {
  Agent,
  AgentInputItem,
  FunctionTool,
  NonStreamRunOptions,
  RunContext,
  Runner,
  RunResult,
  RunState,
  RunToolApprovalItem,
} from '@openai/agents'
import type { Gate } from '../../gate.ts'
import type { Actor, Decision, HitlRequest, JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'

/** Any agent of the SDK. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of any agent
export type AnyAgent = Agent<any, any>

/** Any function tool of the SDK. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of any tool
export type AnyFunctionTool = FunctionTool<any, any, any>

/** Options of `openaiGate`. */
export interface OpenaiGateOptions {
  /** The conversation. The state of its paused run is kept under this name. */
  threadId: string
  /** On whose behalf the agent works. Calls of different principals never meet. */
  principal?: string
  /** Data for the policies of the gate. */
  context?: (runContext: RunContext<unknown>) => JsonObject | undefined
  /** Tools that run without the gate, by name: hosted tools, which the provider runs, and computer, shell and patch tools. */
  ungated?: readonly string[]
  /** Runs the agents. Default: a `Runner` without options. */
  runner?: Runner
}

/** An agent of the SDK under a gate, in one conversation. */
export interface OpenaiGate {
  /** The agent with its tools, MCP servers and hand-offs under the gate. The agent itself is not changed. Call `asTool` on what this returns. */
  agent<TAgent extends AnyAgent>(agent: TAgent): TAgent
  /** Runs an agent. If it pauses, its state is kept, and `resume` continues it in any process. */
  run<TAgent extends AnyAgent, TContext = undefined>(
    agent: TAgent,
    input: string | AgentInputItem[] | RunState<TContext, TAgent>,
    options?: NonStreamRunOptions<TContext, TAgent>,
  ): Promise<RunResult<TContext, TAgent>>
  /**
   * Continues the paused run with what people have decided since, as far as they have. `undefined` if no run is paused. Calls that are still open are the
   * `interruptions` of the result.
   */
  resume<TAgent extends AnyAgent, TContext = undefined>(
    agent: TAgent,
    options?: NonStreamRunOptions<TContext, TAgent>,
  ): Promise<RunResult<TContext, TAgent> | undefined>
  /** Keeps the state of a run that the application ran itself, such as a streamed one after `completed`. */
  keep(result: { state: { toString(): string }; interruptions?: readonly unknown[] }): Promise<void>
  /** The request of an interruption, if it is still open. */
  request(interruption: RunToolApprovalItem): Promise<HitlRequest | undefined>
  /** Decides about an interruption, in place of `state.approve` and `state.reject`. Take `by` from a verified credential. */
  decide(interruption: RunToolApprovalItem, decision: Decision, options: { by: Actor }): Promise<HitlRequest>
}

/** What the parts of the adapter share. */
export interface Gated {
  readonly gate: Gate
  readonly options: OpenaiGateOptions
}

const KNOWN: readonly (keyof OpenaiGateOptions)[] = ['threadId', 'principal', 'context', 'ungated', 'runner']

/** Throws `InputInvalid`. */
export function checkOptions(gate: Gate, options: OpenaiGateOptions): void {
  if (typeof gate?.judge !== 'function') throw new InputInvalid('openaiGate needs a gate, made with createGate.')
  const unknown = Object.keys(options ?? {}).find((key) => !(KNOWN as readonly string[]).includes(key))
  if (unknown !== undefined) throw new InputInvalid(`openaiGate has no option "${unknown}".`)
  if (typeof options?.threadId !== 'string' || options.threadId === '')
    throw new InputInvalid('openaiGate needs the threadId of the conversation.')
}
