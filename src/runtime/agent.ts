import type { BoundPolicy } from '../policy/compose.ts'
import type { Policy } from '../policy/policy.ts'
import type { Model } from '../ports/model.ts'
import { AgentInvalid, AgentMismatch, PolicyInvalid, ToolMissing } from '../protocol/errors.ts'
import type { RunContext } from '../protocol/run-context.ts'
import { checkMiddleware, type Middleware } from './middleware.ts'
import { Thread, type ThreadOptions } from './thread.ts'
import { asAlias, type HostedTools, type Tool } from './tool.ts'

/** Words a refusal for the model. Returning anything but a text falls back to `defaultMessage`. */
export type ToolErrorFormatter = (failure: {
  kind: 'approval_rejected' | 'tool_not_found'
  toolName: string
  callId: string
  defaultMessage: string
  runContext: RunContext
}) => string | undefined | Promise<string | undefined>

/** What an agent is made from. */
export interface AgentOptions {
  /** Its stable identity in journals. Default: its name. */
  id?: string
  name: string
  instructions?: string | ((runContext: RunContext) => string | Promise<string>)
  model: Model
  tools?: readonly Tool[]
  /** Who is asked about what, beside the tools' own `needsApproval`. Of several the most restrictive verdict wins. */
  policy?: Policy | readonly Policy[]
  /** Custom logic around the loop. */
  middleware?: readonly Middleware[]
  toolErrorFormatter?: ToolErrorFormatter
  /** The application's own version of this agent, stored with each run. */
  version?: string
}

const KNOWN = new Set([
  'id',
  'name',
  'instructions',
  'model',
  'tools',
  'policy',
  'middleware',
  'toolErrorFormatter',
  'version',
])

/** The definition of an agent: stateless, shared by any number of threads. */
export class Agent {
  readonly id: string
  readonly name: string
  readonly instructions: AgentOptions['instructions']
  readonly model: Model
  readonly tools: readonly Tool[]
  /** The servers whose tools the model's provider runs. */
  readonly hosted: readonly HostedTools[]
  readonly middleware: readonly Middleware[]
  /** Its policies, bound to its tools. */
  readonly policies: readonly BoundPolicy[]
  readonly toolErrorFormatter: ToolErrorFormatter | undefined
  readonly version: string | undefined
  readonly #byName: ReadonlyMap<string, Tool>

  constructor(options: AgentOptions) {
    if (typeof options.name !== 'string' || options.name === '') throw new AgentInvalid('An agent needs a name.')
    // A misspelt or not yet known option could be a gate that is not there.
    const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
    if (unknown !== undefined) throw new AgentInvalid(`Agent "${options.name}": there is no option "${unknown}".`)
    if (options.id === '') throw new AgentInvalid(`Agent "${options.name}" has an empty id.`)
    if (typeof options.model?.respond !== 'function')
      throw new AgentInvalid(`Agent "${options.name}" needs a model with a respond() method.`)
    this.id = options.id ?? options.name
    this.name = options.name
    this.instructions = options.instructions
    this.model = options.model
    const given = options.tools ?? []
    this.tools = Object.freeze(given.filter((one) => !one?.hosted))
    this.hosted = Object.freeze(given.flatMap((one) => one?.hosted ?? []))
    this.toolErrorFormatter = options.toolErrorFormatter
    this.version = options.version
    this.#byName = indexTools(this.name, this.tools, this.hosted)
    this.middleware = checkMiddleware(this.name, options.middleware ?? [])
    this.policies = bindPolicies(this, options.policy)
    Object.freeze(this)
  }

  /** A live conversation with this agent. */
  thread(threadId: string, options: ThreadOptions = {}): Thread {
    return new Thread(this, threadId, options)
  }

  /** The tool of that name, as it is now. */
  findTool(name: string): Tool | undefined {
    const found = this.#byName.get(name)
    return found?.current ? found.current() : found
  }

  /** The tool of that name that the model's provider runs. */
  findHosted(name: string): Tool | undefined {
    const server = this.hosted.find(({ prefix }) => name.startsWith(prefix))
    return server?.member(name.slice(server.prefix.length))
  }

  /** All names of a tool that has several, by any of them. */
  namesOf(name: string): readonly { tool: string; definition: string }[] {
    const found = this.findTool(name)
    if (!found || found.aliases.length === 0) return []
    return [found.aliasOf ?? found.name, ...found.aliases].flatMap((tool) => {
      const known = this.findTool(tool)
      return known ? [{ tool, definition: known.fingerprint }] : []
    })
  }

  /** The tool that a stored call names; it must still be there. */
  requireTool(name: string): Tool {
    const found = this.findTool(name) ?? this.findHosted(name)
    if (!found) throw new ToolMissing(name, this.name)
    return found
  }

  /** Refuses to go on with a run that another agent started. */
  requireIdentity(id: string): void {
    if (id !== this.id) throw new AgentMismatch(id, this.id)
  }
}

/** Policies are checked against the tools here, so that a misspelt name is no open gate. */
function bindPolicies({ tools, hosted }: Agent, policy: AgentOptions['policy'] = []): readonly BoundPolicy[] {
  const known = [
    ...tools.map(({ name, aliases, risk }) => ({ name, aliases, risk })),
    ...hosted.map(({ prefix }) => ({ name: `${prefix}*`, prefix })),
  ]
  const list: readonly Policy[] = Array.isArray(policy) ? policy : [policy]
  return Object.freeze(
    list.map((one) => {
      if (typeof one?.bind !== 'function')
        throw new PolicyInvalid('policy takes what humanInTheLoop() or definePolicy() return.')
      return { policy: one, judge: one.bind(known) }
    }),
  )
}

function indexTools(agent: string, tools: readonly Tool[], hosted: readonly HostedTools[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  const labels = new Set(hosted.map(({ prefix }) => prefix))
  if (labels.size < hosted.length) throw new AgentInvalid(`Agent "${agent}" has two hosted servers of one label.`)
  for (const tool of tools) {
    if (typeof tool?.fingerprint !== 'string')
      throw new AgentInvalid(`Agent "${agent}" was given something that tool() did not make.`)
    for (const name of [tool.name, ...tool.aliases]) {
      // A call of one could be taken for a call of the other.
      const server = hosted.find(({ prefix }) => name.startsWith(prefix))
      if (server)
        throw new AgentInvalid(
          `Agent "${agent}" has a tool "${name}" and a hosted server "${server.server.serverLabel}".`,
        )
      if (byName.has(name)) throw new AgentInvalid(`Agent "${agent}" has two tools named "${name}".`)
      byName.set(name, name === tool.name ? tool : asAlias(tool, name))
    }
  }
  return byName
}
