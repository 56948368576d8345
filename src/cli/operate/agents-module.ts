import type { Agent, Policy } from '../../index.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { loadAgents } from '../command-line/load-agents.ts'
import { loadModule } from '../command-line/load-module.ts'

/** What the module of `--agents` exports. */
export interface AgentsModule {
  readonly agents: readonly Agent[]
  readonly deps: unknown
  readonly policies: readonly Policy[]
}

/** Loads agents, and optionally `deps` (live objects, or a function that returns them) and `policies` (an array). */
export async function loadAgentsModule(call: Call, file: string): Promise<AgentsModule> {
  const agents = await loadAgents(call, file)
  const { deps, policies = [] } = await loadModule<{ deps: unknown; policies: unknown }>(
    call,
    file,
    'agents_unreadable',
  )
  if (!Array.isArray(policies)) throw new CliError('agents_unreadable', `${file}: policies must be an array.`)
  return { agents, policies, deps: typeof deps === 'function' ? await made(deps as () => unknown, file) : deps }
}

async function made(deps: () => unknown, file: string): Promise<unknown> {
  try {
    return await deps()
  } catch (error) {
    throw new CliError('agents_unreadable', `${file}: deps() failed: ${messageOf(error)}`)
  }
}
