import { isRecord, keyProblem, tellReturned } from '../../protocol/checks/returned.ts'
import type { GuardrailResult } from '../../protocol/entries/entry.ts'
import { AgentInvalid, GuardrailFailed, type GuardrailKind, GuardrailTripped } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import type { Message, ToolResult } from '../../protocol/message.ts'
import type { RunContext } from '../../protocol/run-context.ts'

/** The result of an agent's guardrail. */
interface GuardrailOutcome {
  /** `true` stops the run. */
  tripwireTriggered: boolean
  /** Stored with the run, for `inputGuardrailResults` and `outputGuardrailResults`, and passed on as `GuardrailTripped.outputInfo`. */
  outputInfo?: JsonValue
}

/** Checks an agent's input before its model is called. */
export interface InputGuardrail<TContext = unknown> {
  readonly name: string
  execute(given: {
    readonly agent: string
    /** The new input, which the model has not read yet. */
    readonly input: readonly Message[]
    readonly messages: readonly Message[]
    readonly runContext: RunContext<TContext>
  }): GuardrailOutcome | Promise<GuardrailOutcome>
}

/** Checks an agent's last answer before it is stored. */
export interface OutputGuardrail<TContext = unknown> {
  readonly name: string
  execute(given: {
    readonly agent: string
    readonly output: string
    readonly messages: readonly Message[]
    readonly runContext: RunContext<TContext>
  }): GuardrailOutcome | Promise<GuardrailOutcome>
}

/** The result of a tool's guardrail: go on, let the model read `message` instead, or stop the run. */
export type ToolGuardrailOutcome =
  | { behavior: 'allow'; outputInfo?: JsonValue }
  | { behavior: 'rejectContent'; message: string; outputInfo?: JsonValue }
  | { behavior: 'throwException'; outputInfo?: JsonValue }

/** The call that a tool's guardrail checks. */
export interface GuardedCall<TContext = unknown> {
  readonly agent: string
  readonly toolName: string
  readonly toolCallId: string
  readonly args: JsonObject
  readonly runContext: RunContext<TContext>
}

/** Checks a call right before it runs. With `preApprovalInputGuardrails` also before anybody is asked about it. */
export interface ToolInputGuardrail<TContext = unknown> {
  readonly name: string
  run(call: GuardedCall<TContext>): ToolGuardrailOutcome | Promise<ToolGuardrailOutcome>
}

/** Checks a tool's result before the model reads it. The tool has already run. */
export interface ToolOutputGuardrail<TContext = unknown> {
  readonly name: string
  run(
    call: GuardedCall<TContext> & { readonly result: ToolResult },
  ): ToolGuardrailOutcome | Promise<ToolGuardrailOutcome>
}

/** Checks guardrails when their agent or tool is built. */
export function checkGuardrails<T extends { readonly name: string }>(
  owner: string,
  list: readonly T[] | undefined,
  method: 'execute' | 'run',
): readonly T[] {
  if (!Array.isArray(list ?? [])) throw new AgentInvalid(`${owner}: guardrails must be an array.`)
  for (const one of list ?? []) {
    if (typeof one?.name !== 'string' || typeof (one as Partial<Record<typeof method, unknown>>)[method] !== 'function')
      throw new AgentInvalid(`${owner} has a guardrail without a name or without ${method}().`)
  }
  return Object.freeze([...(list ?? [])])
}

/** Takes the result of each guardrail of an agent, also of the one that trips. */
type TakeResult = (result: GuardrailResult) => void

/** Runs the input guardrails of an agent. Throws `GuardrailTripped` if one objects. */
export async function guardInput(
  guardrails: readonly InputGuardrail[],
  given: Parameters<InputGuardrail['execute']>[0],
  take: TakeResult,
): Promise<void> {
  if (given.input.length === 0) return
  for (const one of guardrails)
    await tripwire({ type: 'input', name: one.name, agent: given.agent, take }, () => one.execute(copy(given)))
}

/** Runs the output guardrails on an agent's last answer. Throws `GuardrailTripped` if one objects. */
export async function guardOutput(
  guardrails: readonly OutputGuardrail[],
  given: Parameters<OutputGuardrail['execute']>[0],
  take: TakeResult,
): Promise<void> {
  for (const one of guardrails)
    await tripwire({ type: 'output', name: one.name, agent: given.agent, take }, () => one.execute(copy(given)))
}

/** Runs the guardrails of a call. Returns a string for the model to read instead, if any. Throws `GuardrailTripped` if one stops the run. */
export async function guardCall(
  guardrails: readonly ToolInputGuardrail[],
  call: GuardedCall,
): Promise<string | undefined> {
  for (const one of guardrails) {
    const message = await behavior({ guardrail: one.name, kind: 'tool_input' }, call, () => one.run(copy(call)))
    if (message !== undefined) return message
  }
  return undefined
}

/** Runs the guardrails of a result. Returns a string for the model to read instead, if any. Throws `GuardrailTripped` if one stops the run. */
export async function guardResult(
  guardrails: readonly ToolOutputGuardrail[],
  call: GuardedCall & { readonly result: ToolResult },
): Promise<string | undefined> {
  for (const one of guardrails) {
    const message = await behavior({ guardrail: one.name, kind: 'tool_output' }, call, () => one.run(copy(call)))
    if (message !== undefined) return message
  }
  return undefined
}

/** A guardrail, and what it looks at. */
interface Asked {
  readonly guardrail: string
  readonly kind: GuardrailKind
}

/** A guardrail of an agent that is asked. */
interface AskedOfAgent {
  readonly type: 'input' | 'output'
  readonly name: string
  readonly agent: string
  readonly take: TakeResult
}

async function tripwire(
  { type, name, agent, take }: AskedOfAgent,
  ask: () => GuardrailOutcome | Promise<GuardrailOutcome>,
): Promise<void> {
  const asked: Asked = { guardrail: name, kind: type }
  const said = await callGuardrail(asked, ask)
  if (typeof said?.tripwireTriggered !== 'boolean' || keyProblem(said, ['tripwireTriggered', 'outputInfo']))
    throw unknownOutcome(asked, said, '{ tripwireTriggered: boolean, outputInfo? }')
  const problem = said.outputInfo === undefined ? undefined : jsonProblem(said.outputInfo, 'outputInfo')
  if (problem !== undefined) throw new GuardrailFailed(asked, `returned what is not JSON: ${problem}`)
  const told = cloneJson(info(said) as JsonObject) as { outputInfo?: JsonValue }
  take({ guardrail: { type, name }, agent, output: { tripwireTriggered: said.tripwireTriggered, ...told } })
  if (said.tripwireTriggered) throw new GuardrailTripped({ ...asked, agent, ...told })
}

async function behavior(
  asked: Asked,
  { toolName, agent }: GuardedCall,
  ask: () => ToolGuardrailOutcome | Promise<ToolGuardrailOutcome>,
): Promise<string | undefined> {
  const said = await callGuardrail(asked, ask)
  const allowed = `{ behavior: 'allow' | 'rejectContent' | 'throwException', message?, outputInfo? }`
  if (isRecord(said) && keyProblem(said, ['behavior', 'message', 'outputInfo']))
    throw unknownOutcome(asked, said, allowed)
  switch (said?.behavior) {
    case 'allow':
      return undefined
    case 'rejectContent':
      if (typeof said.message !== 'string') throw new GuardrailFailed(asked, 'rejected the content without a message')
      return said.message
    case 'throwException':
      throw new GuardrailTripped({ ...asked, agent, toolName, ...info(said) })
    default:
      throw unknownOutcome(asked, said, allowed)
  }
}

function unknownOutcome({ guardrail, kind }: Asked, said: unknown, allowed: string): GuardrailFailed {
  return new GuardrailFailed({ guardrail, kind }, `returned ${tellReturned(said)}; it must be ${allowed}`)
}

async function callGuardrail<T>({ guardrail, kind }: Asked, ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new GuardrailFailed({ guardrail, kind }, 'threw', error)
  }
}

function info({ outputInfo }: { outputInfo?: JsonValue }): { outputInfo?: JsonValue } {
  return outputInfo === undefined ? {} : { outputInfo }
}

/** Copies the data for a guardrail, so that it cannot change what runs. */
function copy<T extends object>(given: T): T {
  const copied: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given))
    copied[key] = typeof value === 'object' && value !== null ? cloneJson(value as JsonValue) : value
  return copied as T
}
