import { AgentInvalid } from '../../protocol/errors/errors.ts'
import { AgentDefinition, type HostedTools, type Tool } from './definition.ts'
import { asAlias } from './tool.ts'

/** Checks what an agent is given as tools: another agent among them must not pass for one. */
export function checkTools(agent: string, tools: readonly Tool[] = []): readonly Tool[] {
  if (!Array.isArray(tools)) throw new AgentInvalid(`Agent "${agent}": tools must be a list.`)
  for (const one of tools as readonly unknown[]) {
    if (one instanceof AgentDefinition)
      throw new AgentInvalid(
        `Agent "${agent}" was given the agent "${one.name}" as a tool: pass what its asTool() returns, or name it in handoffs.`,
      )
    if (typeof (one as Tool | undefined)?.fingerprint !== 'string')
      throw new AgentInvalid(`Agent "${agent}" was given something that tool() did not make.`)
  }
  return tools
}

/** Finds tools by each of their names. Two of one name, or one that could be a hosted server's, are refused. */
export function indexTools(
  agent: string,
  tools: readonly Tool[],
  hosted: readonly HostedTools[],
): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  const labels = new Set(hosted.map(({ prefix }) => prefix))
  if (labels.size < hosted.length) throw new AgentInvalid(`Agent "${agent}" has two hosted servers of one label.`)
  for (const tool of tools) {
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
