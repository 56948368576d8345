import { type AgentInput, agentInput } from '../../protocol/agent-args.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { OutputOf, ParametersSchema } from '../../protocol/checks/standard-schema.ts'
import { InputInvalid, messageOf, ToolInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import type { InputMessage, Message } from '../../protocol/message.ts'
import type { AnyContext, ContextOf, RunContext } from '../../protocol/run-context.ts'
import type { IsEnabled } from '../definition/behavior.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'
import type { ToolInputGuardrail, ToolOutputGuardrail } from '../definition/guardrails.ts'
import type { NeedsApproval } from '../definition/tool/approval.ts'
import { bodyArgs, type KnownArgs } from '../definition/tool/args.ts'
import { tool } from '../definition/tool/tool.ts'
import { type Input, toMessages } from '../run/input.ts'
import { toToolName } from './handoff.ts'

/** Options of an agent that is called as a tool. */
export interface AgentToolOptions<TSchema extends ParametersSchema = AgentInput, TContext = unknown> {
  /** Default: the agent's name. */
  name?: string
  description?: string
  /** Whether a person must approve before the nested run begins. Its own calls are judged separately. */
  needsApproval?: NeedsApproval<OutputOf<TSchema>, TContext>
  /** Whether the model is offered it. A function is asked once before each model call. Default `true`. */
  isEnabled?: IsEnabled<TContext>
  /** Default `{ input: string }`. */
  parameters?: TSchema
  parametersJsonSchema?: object
  /** The nested conversation's first input. Default: `input` if that is a string and the only argument, else all arguments as JSON. Must not have effects. */
  inputBuilder?(args: OutputOf<TSchema>): Input | Promise<Input>
  /** The result that the caller's model reads. Default: the final answer. Must not have effects. */
  customOutputExtractor?(result: {
    readonly finalOutput: string
    readonly messages: readonly Message[]
  }): string | Promise<string>
  inputGuardrails?: readonly ToolInputGuardrail<TContext>[]
  outputGuardrails?: readonly ToolOutputGuardrail<TContext>[]
  /** How many model calls the nested run may make; `null` for no limit. Default 25. */
  maxTurns?: number | null
}

/** Options of an agent that is called as a tool and works on its own data. `TOuter` is the context of the caller. */
export interface OwnContextOptions<TSchema extends ParametersSchema, TContext, TOuter>
  extends AgentToolOptions<TSchema, TOuter> {
  /**
   * The application's data for the nested run, instead of the caller's: plain JSON, made once when the nested run begins, and stored with it. Policies
   * of the agents around it keep reading their own. Must not have effects.
   */
  context(args: OutputOf<TSchema>, runContext: RunContext<TOuter>): ContextOf<TContext> | Promise<ContextOf<TContext>>
}

const DEFAULT_MAX_TURNS = 25
const KNOWN = [
  'name',
  'description',
  'needsApproval',
  'isEnabled',
  'parameters',
  'parametersJsonSchema',
  'inputBuilder',
  'customOutputExtractor',
  'inputGuardrails',
  'outputGuardrails',
  'maxTurns',
  'context',
] as const

/** Makes a tool that runs an agent on its own conversation, in the same journal and under the caller's policies. */
export function agentTool<TSchema extends ParametersSchema, TOuter>(
  agent: AgentDefinition,
  options: AgentToolOptions<TSchema, TOuter> & Partial<OwnContextOptions<TSchema, AnyContext, TOuter>>,
): Tool<TOuter> {
  requireKnown('asTool()', options, KNOWN)
  const name = options.name ?? toToolName(agent.name)
  const { inputBuilder, customOutputExtractor, context, maxTurns = DEFAULT_MAX_TURNS } = options
  if (maxTurns !== null && !(Number.isInteger(maxTurns) && maxTurns > 0))
    throw new ToolInvalid(name, 'maxTurns must be a positive integer or null')
  for (const [key, value] of Object.entries({ inputBuilder, customOutputExtractor, context })) {
    if (value !== undefined && typeof value !== 'function') throw new ToolInvalid(name, `${key} must be a function`)
  }
  const made = tool({
    name,
    description: options.description ?? agent.handoffDescription ?? `Ask the ${agent.name} agent.`,
    parameters: (options.parameters ?? agentInput()) as TSchema,
    ...(options.parametersJsonSchema === undefined ? {} : { parametersJsonSchema: options.parametersJsonSchema }),
    ...(options.needsApproval === undefined ? {} : { needsApproval: options.needsApproval }),
    ...(options.isEnabled === undefined ? {} : { isEnabled: options.isEnabled }),
    inputGuardrails: options.inputGuardrails ?? [],
    outputGuardrails: options.outputGuardrails ?? [],
    execute: () => {
      throw new ToolInvalid(name, 'an agent has no body to execute')
    },
  })
  const special = {
    kind: 'agent' as const,
    agent,
    maxTurns,
    toInput: (released: KnownArgs) => toInput(made, released, inputBuilder as AgentInputBuilder | undefined),
    toContext: context && toContext(made, context as ContextBuilder),
    output: customOutputExtractor,
  }
  return Object.freeze({ ...made, special })
}

type ContextBuilder = (args: unknown, runContext: RunContext) => unknown

function toContext(
  made: Tool,
  build: ContextBuilder,
): (released: KnownArgs, runContext: RunContext) => Promise<JsonValue> {
  return async (released, runContext) => {
    const args = await ownArgs(made, released)
    let context: unknown
    try {
      context = await build(args, runContext)
    } catch (error) {
      throw new ToolInvalid(made.name, `its context failed: ${messageOf(error).replace(/\.$/, '')}`, error)
    }
    const problem = jsonProblem(context, 'context')
    if (problem !== undefined) throw new ToolInvalid(made.name, `its context must be plain JSON: ${problem}`)
    return cloneJson(context as JsonValue)
  }
}

type AgentInputBuilder = (args: unknown) => Input | Promise<Input>

async function toInput(made: Tool, released: KnownArgs, build: AgentInputBuilder | undefined): Promise<InputMessage[]> {
  if (!build) return toMessages(asText(released.args))
  const args = await ownArgs(made, released)
  try {
    return toMessages(await build(args))
  } catch (error) {
    throw new ToolInvalid(made.name, `its inputBuilder failed: ${messageOf(error).replace(/\.$/, '')}`, error)
  }
}

/** The arguments as the schema makes them, as a body would get them. */
async function ownArgs({ name, parameters }: Tool, released: KnownArgs): Promise<unknown> {
  const checked = await bodyArgs(parameters, released)
  if (!checked.ok) throw new InputInvalid(`The arguments do not fit ${name}: ${checked.problems.join('; ')}.`)
  return checked.value
}

/** Every argument that was approved: `input` by itself if it is the only one, else all of them as JSON. */
function asText(args: JsonObject): string {
  const { input, ...others } = args
  return typeof input === 'string' && Object.keys(others).length === 0 ? input : JSON.stringify(args)
}
