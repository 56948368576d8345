import { type Difference, jsonDifferences } from '../../core/display/json-differences.ts'
import type { RequestItem } from '../../protocol/api/requests.ts'
import type { JsonValue } from '../../protocol/json/json.ts'

export type { Difference } from '../../core/display/json-differences.ts'

/** What a person decides about. */
const PARTS = [
  ...(['args', 'preview', 'preconditions', 'toolName', 'risk'] as const),
  ...(['expiresAt', 'prompt', 'details', 'questions'] as const),
]

/** How a request differs from how it was seen, in what a person decides about. */
export function differences(from: RequestItem, to: RequestItem): Difference[] {
  return PARTS.flatMap((part) =>
    jsonDifferences(
      { path: part, from: from[part] as JsonValue | undefined, to: to[part] as JsonValue | undefined },
      'each',
    ),
  )
}
