import { withoutEditNote } from '../../core/plan/results.ts'
import type { CallOutcome } from '../../core/state.ts'
import { isRecord, keyProblem, tellReturned } from '../../protocol/checks/returned.ts'
import { AgentInvalid, ModelResponseInvalid, messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonValue } from '../../protocol/json/json.ts'
import { type ToolResult, textOf } from '../../protocol/message.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { ToolUse, ToolUseBehavior } from './behavior.ts'
import type { AgentDefinition } from './definition.ts'
import { readOutput } from './output-type.ts'

/** Checks the `toolUseBehavior` option when an agent is built. */
export function checkToolUseBehavior(agent: string, given: ToolUseBehavior = 'run_llm_again'): ToolUseBehavior {
  if (given === 'run_llm_again' || given === 'stop_on_first_tool' || typeof given === 'function') return given
  const { stopAtToolNames: names, ...rest } = isRecord(given) ? (given as { stopAtToolNames?: unknown }) : {}
  const isNames = Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')
  if (!isNames || Object.keys(rest).length > 0)
    throw new AgentInvalid(
      `Agent "${agent}": toolUseBehavior must be 'run_llm_again', 'stop_on_first_tool', { stopAtToolNames: [name, …] } or a function.`,
    )
  return Object.freeze({ stopAtToolNames: Object.freeze([...(names as string[])]) })
}

/** Refuses a name at which the agent would never stop. */
export function checkStopNames(agent: string, given: ToolUseBehavior, known: ReadonlyMap<string, unknown>): void {
  const names = typeof given === 'object' ? given.stopAtToolNames : []
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new AgentInvalid(`Agent "${agent}": stopAtToolNames has "${unknown}", which is none of its tools.`)
}

/**
 * The final output that the results of a turn make, if any. Calls whose arguments were invalid do not count: the model has to read what is wrong with
 * them. With an `outputType`, an error result that does not fit it is for the model too.
 */
export async function finalOutputOf(
  agent: AgentDefinition,
  outcomes: readonly CallOutcome[],
  runContext: RunContext,
): Promise<string | undefined> {
  const { toolUseBehavior } = agent
  const counted = outcomes.filter(({ how }) => how !== 'invalid')
  if (toolUseBehavior === 'run_llm_again' || counted.length === 0) return undefined
  if (typeof toolUseBehavior === 'function') {
    const text = await askFunction(agent, toolUseBehavior, { runContext, toolUses: counted.map(toUse) })
    return text === undefined || (await misfit(agent, text)) === undefined ? text : refuse(agent, text)
  }
  const found =
    toolUseBehavior === 'stop_on_first_tool'
      ? counted[0]
      : counted.find(({ tool }) => isNamed(agent, toolUseBehavior.stopAtToolNames, tool))
  if (!found) return undefined
  const text = textOf(withoutEditNote(found.result).content)
  if ((await misfit(agent, text)) === undefined) return text
  return found.result.isError ? undefined : refuse(agent, text)
}

async function askFunction(
  { name }: AgentDefinition,
  decide: Extract<ToolUseBehavior, (...args: never) => unknown>,
  { runContext, toolUses }: { runContext: RunContext; toolUses: readonly ToolUse[] },
): Promise<string | undefined> {
  let said: unknown
  try {
    said = await decide(runContext, toolUses)
  } catch (error) {
    throw new PolicyFailed('', `toolUseBehavior of agent "${name}" threw: ${messageOf(error)}`, { cause: error })
  }
  const known = isRecord(said) && !keyProblem(said, ['isFinalOutput', 'isInterrupted', 'finalOutput']) ? said : {}
  if (known.isFinalOutput === false) return undefined
  if (known.isFinalOutput === true && typeof known.finalOutput === 'string') return known.finalOutput
  const allowed = '{ isFinalOutput: false } or { isFinalOutput: true, finalOutput: string }'
  throw new PolicyFailed('', `toolUseBehavior of agent "${name}" returned ${tellReturned(said)}; it must be ${allowed}`)
}

function toUse({ tool, id, args = {}, result, how }: CallOutcome): ToolUse {
  return {
    toolName: tool,
    toolCallId: id,
    args: cloneJson(args),
    result: cloneJson(result as unknown as JsonValue) as unknown as ToolResult,
    outcome: how,
  }
}

function isNamed(agent: AgentDefinition, names: readonly string[], called: string): boolean {
  const nameOf = (name: string): string => agent.findTool(name)?.aliasOf ?? name
  return names.some((name) => nameOf(name) === nameOf(called))
}

async function misfit({ outputType }: AgentDefinition, text: string): Promise<string | undefined> {
  try {
    await readOutput(outputType, text)
    return undefined
  } catch (error) {
    if (error instanceof ModelResponseInvalid) return messageOf(error)
    throw error
  }
}

async function refuse(agent: AgentDefinition, text: string): Promise<never> {
  const problem = await misfit(agent, text)
  throw new AgentInvalid(`Agent "${agent.name}": toolUseBehavior ends the run with what outputType refuses: ${problem}`)
}
