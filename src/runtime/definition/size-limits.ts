import { errorResult } from '../../core/plan/results.ts'
import type { Store } from '../../ports/store.ts'
import { bytesOver } from '../../protocol/checks/limits.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { ToolResult } from '../../protocol/message.ts'
import type { AgentDefinition } from './definition.ts'
import { modelMessages } from './model-messages.ts'

/** Reserved for the other members of an entry that records a result. */
const ENTRY_REST_BYTES = 16_384

/** Replaces a result that is too long to store with an error result. The call ran, so its end must be recorded. */
export function boundedResult(
  { limits }: AgentDefinition,
  { limits: ofStore }: Pick<Store, 'limits'>,
  result: ToolResult,
): ToolResult {
  const limit = Math.min(limits.resultBytes, (ofStore?.entryBytes ?? Number.POSITIVE_INFINITY) - ENTRY_REST_BYTES)
  const bytes = bytesOver(JSON.stringify(result), limit)
  return bytes === undefined ? result : errorResult(modelMessages.resultTooLong(bytes, limit))
}

/** Returns the message for arguments that exceed their size limit, else `undefined`. */
export function argsSizeProblem(
  { limits: { argsBytes } }: Pick<AgentDefinition, 'limits'>,
  args: JsonObject | string,
): string | undefined {
  const bytes = bytesOver(typeof args === 'string' ? args : JSON.stringify(args), argsBytes)
  return bytes === undefined ? undefined : modelMessages.argsTooLong(bytes, argsBytes)
}
