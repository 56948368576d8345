import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Agent, HoldpointError } from '../index.ts'
import { messageOf } from '../protocol/errors.ts'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'

/** The agents that a module gives: its default export, a list of them, or versions of one by name. */
export async function loadAgents(call: Call, file: string): Promise<Agent[]> {
  const bad = (problem: string): CliError => new CliError('agents_unreadable', `${file} ${problem}`)
  let loaded: { default?: unknown; agent?: unknown; agents?: unknown }
  try {
    loaded = await import(pathToFileURL(resolve(call.context.cwd, file)).href)
  } catch (error) {
    if (HoldpointError.isInstance(error)) throw error
    const { code } = (error ?? {}) as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw bad('cannot be loaded by this Node: compile it to .js or .mjs first.')
    throw bad(`cannot be loaded: ${messageOf(error)}`)
  }
  const found = [loaded.default, loaded.agent, loaded.agents].flatMap(toList)
  const agents = [...new Set(found.filter(isAgent))]
  if (agents.length === 0)
    throw bad('must export an agent as its default, or agents: a list of them, or versions of one by name.')
  return agents
}

function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null || isAgent(value)) return [value]
  return Object.values(value)
}

/** Also agents of another installed copy: the file has its own. */
function isAgent(value: unknown): value is Agent {
  if (value instanceof Agent) return true
  const one = value as Partial<Agent> | null
  return typeof one?.findTool === 'function' && typeof one.requireIdentity === 'function'
}
