import type { AgentDefinition, ToolErrorFormatter } from '../definition/definition.ts'

/** What formats refusals: the run's own formatter, if it has one. */
export interface RefusalFormat {
  readonly toolErrorFormatter: ToolErrorFormatter | undefined
}

/**
 * The string that the model reads for a refusal: from the run's formatter, then the agent's, then the default. A formatter that throws or
 * returns no string is skipped: a refusal must not fail.
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
      // The next one may do better.
    }
  }
  return failure.defaultMessage
}
