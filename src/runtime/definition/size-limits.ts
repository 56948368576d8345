import { errorResult } from '../../core/plan/results.ts'
import type { Store } from '../../ports/store.ts'
import { bytesOver } from '../../protocol/checks/limits.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ToolResult } from '../../protocol/message.ts'
import type { AgentDefinition } from './definition.ts'
import { words } from './model-messages.ts'

/** What an entry has beside the result that it records. */
const ENTRY_REST_BYTES = 16_384

/** A result that may be stored: itself, or in place of one that is too long, that. The call ran, so its end is recorded in any case. */
export function boundedResult(
  { limits }: AgentDefinition,
  { limits: ofStore }: Pick<Store, 'limits'>,
  result: ToolResult,
): ToolResult {
  const limit = Math.min(limits.resultBytes, (ofStore?.entryBytes ?? Number.POSITIVE_INFINITY) - ENTRY_REST_BYTES)
  const bytes = bytesOver(JSON.stringify(result), limit)
  return bytes === undefined ? result : errorResult(words.resultTooLong(bytes, limit))
}

/** What is wrong with the size of arguments, if anything. */
export function argsSizeProblem(
  { limits: { argsBytes } }: Pick<AgentDefinition, 'limits'>,
  args: JsonObject | string,
): string | undefined {
  const bytes = bytesOver(typeof args === 'string' ? args : JSON.stringify(args), argsBytes)
  return bytes === undefined ? undefined : words.argsTooLong(bytes, argsBytes)
}
