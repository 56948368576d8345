import { tellReturned } from '../../protocol/checks/returned.ts'
import { messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition, Tool } from './definition.ts'

/** Who asks for a tool, and in which run. */
export interface EnabledFor {
  readonly runContext: RunContext
  readonly agent: string
}

/** The tools and hand-offs that an agent's model is offered in a turn. Throws `PolicyFailed` if one cannot be judged. */
export async function enabledTools({ toolset }: AgentDefinition, given: EnabledFor): Promise<readonly Tool[]> {
  if (toolset.every(({ isEnabled }) => isEnabled === true)) return toolset
  const judged = await Promise.all(toolset.map((one) => isToolEnabled(one, given)))
  return toolset.filter((_tool, index) => judged[index])
}

/** Whether a tool is enabled. Throws `PolicyFailed` if its function throws or returns anything but a boolean. */
export async function isToolEnabled({ name, isEnabled }: Tool, given: EnabledFor): Promise<boolean> {
  if (typeof isEnabled === 'boolean') return isEnabled
  let said: unknown
  try {
    said = await isEnabled({ ...given })
  } catch (error) {
    throw new PolicyFailed(name, `isEnabled of tool "${name}" threw: ${messageOf(error)}`, { cause: error })
  }
  if (typeof said === 'boolean') return said
  throw new PolicyFailed(name, `isEnabled of tool "${name}" returned ${tellReturned(said)}; it must be true or false`)
}
