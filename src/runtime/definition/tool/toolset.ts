import { AgentInvalid } from '../../../protocol/errors/errors.ts'
import { AgentDefinition, type HostedTools, type Tool } from '../definition.ts'
import { asAlias } from './tool.ts'

/** Checks an agent's `tools`. Agents among them are refused. */
export function checkTools(agent: string, tools: readonly Tool[] = []): readonly Tool[] {
  if (!Array.isArray(tools)) throw new AgentInvalid(`Agent "${agent}": tools must be an array.`)
  for (const one of tools as readonly unknown[]) {
    if (one instanceof AgentDefinition)
      throw new AgentInvalid(
        `Agent "${agent}" was given the agent "${one.name}" as a tool: pass the result of its asTool(), or name it in handoffs.`,
      )
    if (typeof (one as Tool | undefined)?.fingerprint !== 'string')
      throw new AgentInvalid(`Agent "${agent}" was given a tool that tool() did not make.`)
  }
  return tools
}

/** Indexes tools by name and alias. Refuses duplicate names, and names that begin with the prefix of a hosted server. */
export function indexTools(
  agent: string,
  tools: readonly Tool[],
  hosted: readonly HostedTools[],
): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  const labels = new Set(hosted.map(({ prefix }) => prefix))
  if (labels.size < hosted.length)
    throw new AgentInvalid(`Agent "${agent}" has two hosted servers with the same label.`)
  for (const tool of tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      // A call of this tool could be mistaken for a call of the server's tool.
      const server = hosted.find(({ prefix }) => name.startsWith(prefix))
      if (server)
        throw new AgentInvalid(
          `Agent "${agent}" has a tool "${name}" whose name begins like those of its hosted server "${server.server.serverLabel}".`,
        )
      if (byName.has(name)) throw new AgentInvalid(`Agent "${agent}" has two tools named "${name}".`)
      byName.set(name, name === tool.name ? tool : asAlias(tool, name))
    }
  }
  return byName
}
