import { Agent } from '../../index.ts'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'
import { loadModule } from './load-module.ts'

const CODE = 'agents_unreadable'

interface AgentsModule {
  default: unknown
  agent: unknown
  agents: unknown
}

/** The agents that a module exports: as `default`, `agent` or `agents`; one, an array, or an object with versions of one. */
export async function loadAgents(call: Call, file: string): Promise<Agent[]> {
  const bad = (problem: string): CliError => new CliError(CODE, `${file} ${problem}`)
  const loaded = await loadModule<AgentsModule>(call, file, CODE)
  const found = [loaded.default, loaded.agent, loaded.agents].flatMap(toList)
  const agents = [...new Set(found.filter(isAgent))]
  if (agents.length === 0)
    throw bad('must export agents under the name default, agent or agents: one, an array, or an object of them.')
  return agents
}

function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null || isAgent(value)) return [value]
  return Object.values(value)
}

/** Also an agent of another installed copy of the package, which the file may import. */
function isAgent(value: unknown): value is Agent {
  if (value instanceof Agent) return true
  const one = value as Partial<Agent> | null
  return typeof one?.findTool === 'function' && typeof one.requireIdentity === 'function'
}
