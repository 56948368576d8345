import { fingerprint } from '../../core/digest.ts'
import type { AgentRef } from '../../protocol/entries/entry.ts'
import { AgentInvalid, AgentMissing } from '../../protocol/errors/errors.ts'
import type { AgentDefinition, AgentGraph, Tool, ToolName } from './definition.ts'

/** An agent and its identity in journals. */
interface Node {
  readonly agent: AgentDefinition
  readonly ref: AgentRef
}

/**
 * Finds all agents that a root can reach through hand-offs and as tools. Journals identify an agent by its `id`, else by its name if that is
 * unique, else by the path from the root to it. A path is stored with the fingerprint of the agent's definition: the run is refused if the
 * agent at that path differs later.
 */
export function buildGraph(root: AgentDefinition): AgentGraph {
  return new ReachableAgents(root)
}

class ReachableAgents implements AgentGraph {
  readonly #byId = new Map<string, Node>()
  readonly #byAgent = new Map<AgentDefinition, Node>()
  readonly #agents: readonly AgentDefinition[]

  constructor(root: AgentDefinition) {
    const paths = walk(root)
    this.#agents = [...paths.keys()]
    const names = new Map<string, number>()
    for (const { name } of paths.keys()) names.set(name, (names.get(name) ?? 0) + 1)
    for (const [agent, path] of paths) {
      const ref = refOf(agent, path, agent === root || names.get(agent.name) === 1)
      const twin = this.#byId.get(ref.id)
      if (twin)
        throw new AgentInvalid(
          `Two agents under "${root.name}" share the id "${ref.id}" ("${twin.agent.name}" and "${agent.name}"): give each an id of its own.`,
        )
      const node = { agent, ref }
      this.#byId.set(ref.id, node)
      this.#byAgent.set(agent, node)
    }
  }

  get agents(): readonly AgentDefinition[] {
    return this.#agents
  }

  namesOf(tool: string): readonly ToolName[] {
    return this.#agents.flatMap((agent) => agent.namesOf(tool))
  }

  refOf(agent: AgentDefinition): AgentRef {
    const node = this.#byAgent.get(agent)
    if (!node) throw new AgentMissing(agent.name, this.#names())
    return node.ref
  }

  require(ref: AgentRef): AgentDefinition {
    const node = this.#byId.get(ref.id)
    if (!node) throw new AgentMissing(ref.id, this.#names())
    if (ref.fingerprint !== undefined && ref.fingerprint !== fingerprintOf(node.agent))
      throw new AgentMissing(ref.id, this.#names(), 'the agent at that path is now defined differently')
    return node.agent
  }

  #names(): string[] {
    return [...this.#byId.keys()]
  }
}

/** Returns a shortest path to each agent (breadth first). A path is the names of the tools that lead there. */
function walk(root: AgentDefinition): Map<AgentDefinition, string[]> {
  const paths = new Map<AgentDefinition, string[]>([[root, []]])
  for (const [agent, path] of paths) {
    for (const { name, special } of agent.toolset) {
      const to = special?.agent
      if (to && !paths.has(to)) paths.set(to, [...path, name])
    }
  }
  return paths
}

function refOf(agent: AgentDefinition, path: readonly string[], isKnownByName: boolean): AgentRef {
  const version = agent.version === undefined ? {} : { version: agent.version }
  if (agent.ownId !== undefined || isKnownByName) return { id: agent.id, ...version }
  return { id: `${agent.name}@${path.join('/')}`, fingerprint: fingerprintOf(agent), ...version }
}

/** Covers an agent's name, description, static instructions and tools. Code is not part of it. */
function fingerprintOf(agent: AgentDefinition): string {
  const tools = agent.toolset.map((one: Tool) => one.fingerprint).sort()
  const instructions = typeof agent.instructions === 'string' ? agent.instructions : ''
  return fingerprint({
    name: agent.name,
    description: agent.handoffDescription ?? '',
    parameters: { instructions, tools },
  })
}
