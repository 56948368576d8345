import type { ToolCall } from '@langchain/core/messages/tool'
import type { AgentMiddleware, BaseMessage, Runtime } from 'langchain'
import { type Gate, hostPolicy } from '../../gate.ts'
import type { Actor, DecisionType, JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'

/** Reads a value from the runtime of the run. */
export type FromRuntime<T> = (runtime: Runtime<unknown>) => T | Promise<T>

interface State {
  messages: BaseMessage[]
}

/** How calls of one tool are reviewed: as in `humanInTheLoopMiddleware`, and `'respond'` is a decision too. */
export interface InterruptRule {
  /** Default: all. */
  allowedDecisions?: readonly DecisionType[]
  /** Replaces the generated description. */
  description?: string | ((toolCall: ToolCall, state: State, runtime: Runtime<unknown>) => string | Promise<string>)
  /** JSON Schema that edited arguments must also fit. */
  argsSchema?: Record<string, unknown>
  /** Whether this call is reviewed. Evaluated once for each call. If it throws or returns something other than a boolean, the call is reviewed. */
  when?: (request: {
    toolCall: ToolCall
    tool: undefined
    state: State
    runtime: Runtime<unknown>
  }) => boolean | Promise<boolean>
}

/** Options of `holdpointMiddleware`. `interruptOn` and `descriptionPrefix` are those of `humanInTheLoopMiddleware`. */
export interface HoldpointMiddlewareOptions {
  /** Made with `createGate`. With `interruptOn`, `hostPolicy` must be among its policies. */
  gate: Gate
  /** Which tools need a person. Tools without an entry are left to the policies of the gate. */
  interruptOn?: Readonly<Record<string, boolean | InterruptRule>>
  /** The first line of generated descriptions. */
  descriptionPrefix?: string
  /**
   * `'batch'` (default): one interrupt for all held calls of a message, as `humanInTheLoopMiddleware` has it. `'independent'`: one interrupt for each held
   * call; the others run meanwhile, and each is answered by its own id.
   */
  decisions?: 'batch' | 'independent'
  /** The names in interrupts: `actionRequests` (`'camel'`, default, as in LangChain for JavaScript) or `action_requests` (`'snake'`, which agent-chat-ui shows). */
  case?: 'camel' | 'snake'
  /**
   * Who answers with `Command({ resume: { decisions } })`. Take it from a verified credential of the request that resumes. Without it, such answers decide
   * nothing: people decide in the inbox, and the graph is resumed with `{ holdpoint: true }`.
   */
  by?: FromRuntime<Actor | undefined>
  /** The conversation. Default: `configurable.thread_id`. */
  threadId?: FromRuntime<string>
  /** On whose behalf the agent works. Calls of different principals never meet. */
  principal?: FromRuntime<string | undefined>
  /** Data for the policies of the gate. */
  context?: FromRuntime<JsonObject | undefined>
  /** The agent's tools. Their definitions are pinned, and edits are checked against their schemas. */
  tools?: readonly { name: string }[]
  /** Tools that run without the gate: those that call `interrupt()` themselves, and agents that have a gate of their own. */
  ungated?: readonly string[]
}

/** The middleware, for the `middleware` array of `createAgent`. */
export type HoldpointMiddleware = AgentMiddleware

const KNOWN: readonly (keyof HoldpointMiddlewareOptions)[] = [
  'gate',
  'interruptOn',
  'descriptionPrefix',
  'decisions',
  'case',
  'by',
  'threadId',
  'principal',
  'context',
  'tools',
  'ungated',
]
const RULE: readonly (keyof InterruptRule)[] = ['allowedDecisions', 'description', 'argsSchema', 'when']
const DECISIONS: readonly DecisionType[] = ['approve', 'edit', 'reject', 'respond']

/** Checks the options when the middleware is made, not when the first call is held. Throws `InputInvalid`. */
export function checkOptions(options: HoldpointMiddlewareOptions): void {
  const unknown = Object.keys(options ?? {}).find((key) => !(KNOWN as readonly string[]).includes(key))
  if (unknown !== undefined) throw new InputInvalid(`holdpointMiddleware has no option "${unknown}".`)
  const { gate, interruptOn = {}, decisions = 'batch', case: form = 'camel' } = options ?? {}
  if (typeof gate?.judge !== 'function')
    throw new InputInvalid('holdpointMiddleware needs a gate, made with createGate.')
  if (decisions !== 'batch' && decisions !== 'independent')
    throw new InputInvalid(`decisions of holdpointMiddleware must be 'batch' or 'independent'.`)
  if (form !== 'camel' && form !== 'snake')
    throw new InputInvalid(`case of holdpointMiddleware must be 'camel' or 'snake'.`)
  for (const [name, rule] of Object.entries(interruptOn)) checkRule(name, rule)
  const isUsed = Object.values(interruptOn).some((rule) => rule !== false)
  if (isUsed && !gate.policies.includes(hostPolicy.name)) {
    throw new InputInvalid(
      'interruptOn has no effect on this gate: add hostPolicy to it, as in createGate({ policy: [hostPolicy, …], … }).',
    )
  }
}

function checkRule(name: string, rule: unknown): void {
  const bad = (problem: string) => new InputInvalid(`interruptOn["${name}"] ${problem}.`)
  if (typeof rule === 'boolean') return
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) throw bad('must be true, false or an object')
  const unknown = Object.keys(rule).find((key) => !(RULE as readonly string[]).includes(key))
  if (unknown !== undefined) throw bad(`has no option "${unknown}"; there are ${RULE.join(', ')}`)
  const { allowedDecisions, description, when } = rule as InterruptRule
  if (allowedDecisions !== undefined && !isDecisions(allowedDecisions))
    throw bad(`has wrong allowedDecisions; use at least one of ${DECISIONS.join(', ')}`)
  if (description !== undefined && typeof description !== 'string' && typeof description !== 'function')
    throw bad('has a description that is neither a string nor a function')
  if (when !== undefined && typeof when !== 'function') throw bad('has a when that is not a function')
}

function isDecisions(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => DECISIONS.includes(type as DecisionType))
}
