import type { AgentDefinition, ToolErrorFormatter } from '../definition/definition.ts'

/** The run's own formatter of refusals, if it has one. */
export interface RefusalFormat {
  readonly toolErrorFormatter: ToolErrorFormatter | undefined
}

/**
 * Returns the message that the model reads for a refusal: from the run's formatter, else the agent's, else the default. A formatter that throws or
 * returns no string is skipped, since a refusal must not fail.
 */
export async function formatRefusal(
  { toolErrorFormatter }: RefusalFormat,
  agent: AgentDefinition,
  failure: Parameters<ToolErrorFormatter>[0],
): Promise<string> {
  for (const format of [toolErrorFormatter, agent.toolErrorFormatter]) {
    try {
      const text = await format?.({ ...failure })
      if (typeof text === 'string' && text.trim() !== '') return text
    } catch {
      // Try the next one.
    }
  }
  return failure.defaultMessage
}
