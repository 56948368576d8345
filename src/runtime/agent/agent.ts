import type { BoundPolicy } from '../../policy/compose.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Model } from '../../ports/model.ts'
import type { AgentInput } from '../../protocol/agent-args.ts'
import { type AgentLimits, agentLimits, type Limits } from '../../protocol/checks/limits.ts'
import type { ParametersSchema, StandardSchema } from '../../protocol/checks/standard-schema.ts'
import { AgentInvalid, AgentMismatch, messageOf, ToolMissing } from '../../protocol/errors/errors.ts'
import type { AnyContext, ContextOf } from '../../protocol/run-context.ts'
import { buildGraph } from '../definition/agent-graph.ts'
import type { ToolUseBehavior } from '../definition/behavior.ts'
import {
  AgentDefinition,
  type AgentGraph,
  type HostedTools,
  type Instructions,
  type OnPolicyChange,
  type OutputType,
  type Tool,
  type ToolErrorFormatter,
} from '../definition/definition.ts'
import { checkGuardrails, type InputGuardrail, type OutputGuardrail } from '../definition/guardrails.ts'
import { checkMiddleware, type Middleware } from '../definition/middleware.ts'
import { toOutputType } from '../definition/output-type.ts'
import { checkTools, indexTools } from '../definition/tool/toolset.ts'
import { checkStopNames, checkToolUseBehavior } from '../definition/tool-use.ts'
import { Thread } from '../thread/thread.ts'
import type { ThreadOptions } from '../thread/thread-options.ts'
import { type AgentToolOptions, agentTool, type OwnContextOptions } from './agent-tool.ts'
import { bindPolicies } from './bind-policies.ts'
import { handoff } from './handoff.ts'

/** Options of an agent. */
export interface AgentOptions<TContext = AnyContext, TOutput = string> {
  /** Its stable identity in journals. Default: its name. */
  id?: string
  name: string
  instructions?: Instructions<TContext>
  model: Model
  /**
   * A Standard Schema of the final answer. The model gets its JSON Schema and answers in JSON; `finalOutput` is the schema's output. An answer that
   * does not fit fails the turn with `ModelResponseInvalid`, and running the state again asks once more. Left out: a string.
   */
  outputType?: StandardSchema<unknown, TOutput>
  tools?: readonly Tool<TContext>[]
  /** What happens when all calls of a turn have a result. Default `'run_llm_again'`: the model reads them. */
  toolUseBehavior?: ToolUseBehavior<NoInfer<TContext>>
  /** Agents that may take over the conversation, or results of `handoff()`. A function is called once, so that agents can name one another. */
  handoffs?: Handoffs<TContext, NoInfer<TOutput>> | (() => Handoffs<TContext, NoInfer<TOutput>>)
  /** Describes it to the models of other agents. */
  handoffDescription?: string
  /** Decides which calls need a person, in addition to the tools' own `needsApproval`. The most restrictive verdict wins. */
  policy?: Policy<NoInfer<TContext>> | readonly Policy<NoInfer<TContext>>[]
  /** Limits on one answer of its model and on its calls. */
  limits?: AgentLimits
  /** What happens to a call that was cleared under other policy versions than the current ones. Default `'ask'`. The root agent's setting applies. */
  onPolicyChange?: OnPolicyChange
  /** Custom logic around the loop. */
  middleware?: readonly Middleware<NoInfer<TContext>>[]
  /** Check new input before its model is asked: when it begins a run, or gets input in the middle of one. */
  inputGuardrails?: readonly InputGuardrail<NoInfer<TContext>>[]
  /** Check its final answer before that ends the run. */
  outputGuardrails?: readonly OutputGuardrail<NoInfer<TContext>>[]
  toolErrorFormatter?: ToolErrorFormatter<NoInfer<TContext>>
  /** The application's own version of this agent, stored with each run. */
  version?: string
}

type Handoffs<TContext = AnyContext, TOutput = unknown> = readonly (
  | AgentDefinition<TContext, TOutput>
  | Tool<TContext>
)[]

const KNOWN = new Set([
  'id',
  'name',
  'instructions',
  'model',
  'outputType',
  'tools',
  'toolUseBehavior',
  'handoffs',
  'handoffDescription',
  'policy',
  'onPolicyChange',
  'middleware',
  'inputGuardrails',
  'outputGuardrails',
  'toolErrorFormatter',
  'version',
  'limits',
])

/** The definition of an agent: stateless, shared by any number of threads. */
export class Agent<TContext = AnyContext, TOutput = string> extends AgentDefinition<TContext, TOutput> {
  /** Its identity as a root: its own id, else its name. */
  readonly id: string
  /** @internal The `id` option. */
  readonly ownId: string | undefined
  readonly name: string
  readonly instructions: Instructions | undefined
  readonly model: Model
  /** @internal The schema of its final answer. */
  readonly outputType: OutputType | undefined
  /** @internal What happens when all calls of a turn have a result. */
  readonly toolUseBehavior: ToolUseBehavior
  readonly tools: readonly Tool[]
  readonly handoffDescription: string | undefined
  /** @internal Limits on one answer and on its calls. */
  readonly limits: Limits<AgentLimits>
  /** @internal The servers whose tools the model's provider runs. */
  readonly hosted: readonly HostedTools[]
  readonly onPolicyChange: OnPolicyChange
  readonly middleware: readonly Middleware[]
  readonly inputGuardrails: readonly InputGuardrail[]
  readonly outputGuardrails: readonly OutputGuardrail[]
  readonly toolErrorFormatter: ToolErrorFormatter | undefined
  readonly version: string | undefined
  readonly #policy: readonly Policy[]
  readonly #handoffs: () => Handoffs
  readonly #isLazy: boolean
  #toolset: readonly Tool[] = []
  #byName: ReadonlyMap<string, Tool> | undefined
  #graph: AgentGraph | undefined
  #policies: readonly BoundPolicy[] | undefined
  #isComplete = false

  constructor(options: AgentOptions<TContext, TOutput>) {
    super()
    if (typeof options.name !== 'string' || options.name === '') throw new AgentInvalid('An agent needs a name.')
    // A misspelt option could be a missing gate.
    const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
    if (unknown !== undefined) throw new AgentInvalid(`Agent "${options.name}": there is no option "${unknown}".`)
    if (options.id === '') throw new AgentInvalid(`Agent "${options.name}" has an empty id.`)
    if (typeof options.model?.respond !== 'function')
      throw new AgentInvalid(`Agent "${options.name}" needs a model with a respond() method.`)
    this.id = options.id ?? options.name
    this.ownId = options.id
    this.name = options.name
    this.handoffDescription = options.handoffDescription
    this.instructions = options.instructions
    this.model = options.model
    this.outputType = toOutputType(this.name, options.outputType)
    this.toolUseBehavior = checkToolUseBehavior(this.name, options.toolUseBehavior)
    const given = checkTools(this.name, options.tools)
    this.tools = Object.freeze(given.filter((one) => !one?.hosted))
    this.hosted = Object.freeze(given.flatMap((one) => one?.hosted ?? []))
    this.toolErrorFormatter = options.toolErrorFormatter
    this.version = options.version
    this.limits = agentLimits(options.limits)
    const { onPolicyChange = 'ask' } = options
    if (!['keep', 'ask', 'deny'].includes(onPolicyChange))
      throw new AgentInvalid(`Agent "${this.name}": onPolicyChange must be 'keep', 'ask' or 'deny'.`)
    this.onPolicyChange = onPolicyChange
    this.middleware = checkMiddleware(this.name, options.middleware ?? [])
    this.inputGuardrails = checkGuardrails(`Agent "${this.name}"`, options.inputGuardrails, 'execute')
    this.outputGuardrails = checkGuardrails(`Agent "${this.name}"`, options.outputGuardrails, 'execute')
    const { handoffs = [], policy = [] } = options
    this.#handoffs = typeof handoffs === 'function' ? handoffs : () => handoffs
    this.#isLazy = typeof handoffs === 'function'
    this.#policy = Array.isArray(policy) ? policy : [policy as Policy]
    // Mistakes are thrown here, unless the hand-offs of an agent are a function that has not been called yet.
    if (!this.#isLazy) this.#index()
    if (!isUnfinished(this)) this.#bind()
    Object.freeze(this)
  }

  /** Its tools and hand-offs: all that its model may call. */
  get toolset(): readonly Tool[] {
    this.#index()
    return this.#toolset
  }

  /** @internal The agents that can be reached from it, with their identities. */
  get graph(): AgentGraph {
    this.#graph ??= buildGraph(this)
    return this.#graph
  }

  /** @internal Its policies, bound to every tool that can be reached from it. */
  get policies(): readonly BoundPolicy[] {
    return this.#policies ?? this.#bind()
  }

  /**
   * Resolves the hand-offs of every reachable agent and binds their policies. Mistakes in a graph that was incomplete when its root was built are
   * thrown here, before anything runs.
   * @internal
   */
  complete(): void {
    if (this.#isComplete) return
    for (const agent of this.graph.agents) agent.policies
    this.#isComplete = true
  }

  /** @internal Whether its hand-offs are a function that has not been called yet. */
  get isUnasked(): boolean {
    return this.#isLazy && this.#byName === undefined
  }

  /** A tool for other agents that runs this one, in their journal and under their policies. */
  asTool<TSchema extends ParametersSchema = AgentInput, TOuter = AnyContext>(
    options: OwnContextOptions<TSchema, TContext, TOuter>,
  ): Tool<TOuter>
  asTool<TSchema extends ParametersSchema = AgentInput>(options?: AgentToolOptions<TSchema, TContext>): Tool<TContext>
  asTool(options: AgentToolOptions | OwnContextOptions<ParametersSchema, TContext, unknown> = {}): Tool {
    return agentTool(this as AgentDefinition, options as AgentToolOptions)
  }

  /** A live conversation with this agent. */
  thread(threadId: string, options: ThreadOptions = {}): Thread<ContextOf<TContext>, TOutput> {
    return new Thread(this, threadId, options)
  }

  /** The tool of that name. */
  findTool(name: string): Tool | undefined {
    const found = this.#index().get(name)
    return found?.current ? found.current() : found
  }

  /** @internal The tool of that name that the model's provider runs. */
  findHosted(name: string): Tool | undefined {
    const server = this.hosted.find(({ prefix }) => name.startsWith(prefix))
    return server?.member(name.slice(server.prefix.length))
  }

  /** @internal All names of a tool that has several, by any of them. */
  namesOf(name: string): readonly { tool: string; definition: string }[] {
    const found = this.findTool(name)
    if (!found || found.aliases.length === 0) return []
    return [found.aliasOf ?? found.name, ...found.aliases].flatMap((tool) => {
      const known = this.findTool(tool)
      return known ? [{ tool, definition: known.fingerprint }] : []
    })
  }

  /** @internal The tool that a stored call names; it must still be there. */
  requireTool(name: string): Tool {
    const found = this.findTool(name) ?? this.findHosted(name)
    if (!found) throw new ToolMissing(name, this.name)
    return found
  }

  /** @internal Refuses to go on with a run that another agent started. */
  requireIdentity(id: string): void {
    if (id !== this.id) throw new AgentMismatch(id, this.id)
  }

  #index(): ReadonlyMap<string, Tool> {
    if (!this.#byName) {
      this.#toolset = Object.freeze([...this.tools, ...toHandoffs(this.name, this.#askHandoffs())])
      const byName = indexTools(this.name, this.#toolset, this.hosted)
      checkStopNames(this.name, this.toolUseBehavior, byName)
      this.#byName = byName
    }
    return this.#byName
  }

  #askHandoffs(): Handoffs {
    try {
      return this.#handoffs()
    } catch (error) {
      throw new AgentInvalid(`The handoffs of agent "${this.name}" threw: ${messageOf(error)}`)
    }
  }

  #bind(): readonly BoundPolicy[] {
    this.#policies = bindPolicies(this.graph.agents, this.#policy)
    return this.#policies
  }
}

/** Whether the hand-offs of a reachable agent have not been resolved yet. */
function isUnfinished(root: AgentDefinition): boolean {
  const seen = new Set([root])
  for (const agent of seen) {
    if (agent.isUnasked) return true
    for (const { special } of agent.toolset) if (special) seen.add(special.agent)
  }
  return false
}

function toHandoffs(agent: string, handoffs: Handoffs): Tool[] {
  if (!Array.isArray(handoffs)) throw new AgentInvalid(`Agent "${agent}": handoffs must be an array of agents.`)
  return handoffs.map((one: AgentDefinition | Tool) => {
    if (one instanceof AgentDefinition) return handoff(one)
    if (one?.special?.kind === 'handoff') return one
    throw new AgentInvalid(`Agent "${agent}" has a hand-off that is neither an agent nor a result of handoff().`)
  })
}
