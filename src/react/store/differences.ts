import type { RequestItem } from '../../protocol/api/requests.ts'
import type { JsonValue } from '../../protocol/json/json.ts'

/** A value that is not as it was. `path` begins with what it is part of: `args.amount`, `risk`. */
export interface Difference {
  path: string
  from?: JsonValue
  to?: JsonValue
}

/** How a request differs from how it was seen, in what a person decides about. */
export function differences(from: RequestItem, to: RequestItem): Difference[] {
  const parts = ['args', 'preview', 'preconditions', 'toolName', 'risk', 'expiresAt', 'prompt', 'details', 'questions']
  const a = from as unknown as Record<string, JsonValue | undefined>
  const b = to as unknown as Record<string, JsonValue | undefined>
  return parts.flatMap((part) => compare(part, a[part], b[part]))
}

function compare(path: string, from: JsonValue | undefined, to: JsonValue | undefined): Difference[] {
  if (isTree(from) && isTree(to) && Array.isArray(from) === Array.isArray(to)) {
    const a = from as Record<string, JsonValue>
    const b = to as Record<string, JsonValue>
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return keys.flatMap((key) => compare(`${path}.${key}`, own(a, key), own(b, key)))
  }
  if (from === to || (isTree(from) && isTree(to) && JSON.stringify(from) === JSON.stringify(to))) return []
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
}

function own(object: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function isTree(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === 'object' && value !== null
}
