import type { RequestItem } from '../../protocol/api/requests.ts'
import type { JsonValue } from '../../protocol/json/json.ts'

/** A value that is not as it was. `path` begins with what it is part of: `args.amount`, `risk`. */
export interface Difference {
  path: string
  from?: JsonValue
  to?: JsonValue
}

/** What a person decides about. */
const PARTS = [
  ...(['args', 'preview', 'preconditions', 'toolName', 'risk'] as const),
  ...(['expiresAt', 'prompt', 'details', 'questions'] as const),
]

/** How a request differs from how it was seen, in what a person decides about. */
export function differences(from: RequestItem, to: RequestItem): Difference[] {
  return PARTS.flatMap((part) => compare(part, from[part] as JsonValue | undefined, to[part] as JsonValue | undefined))
}

function compare(path: string, from: JsonValue | undefined, to: JsonValue | undefined): Difference[] {
  if (isTree(from) && isTree(to) && Array.isArray(from) === Array.isArray(to)) {
    const a = from as Record<string, JsonValue>
    const b = to as Record<string, JsonValue>
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return keys.flatMap((key) => compare(`${path}.${key}`, own(a, key), own(b, key)))
  }
  if (from === to) return []
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
}

function own(object: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function isTree(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === 'object' && value !== null
}
