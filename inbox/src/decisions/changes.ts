import type { RequestItem } from 'holdpoint/client'
import { type Difference, jsonDifferences } from '../../../src/core/display/json-differences.ts'

/** How the edited arguments differ from those that were asked for. */
export function changesOf({ decided, args, argsInput, toolName }: RequestItem): Difference[] {
  if (decided?.decision.type !== 'edit') return []
  const { args: edited, toolName: other } = decided.decision
  const tool = jsonDifferences({ path: 'tool', from: toolName, to: other ?? toolName }, 'whole')
  return [...tool, ...jsonDifferences({ path: '', from: argsInput ?? args ?? {}, to: edited }, 'whole')]
}
