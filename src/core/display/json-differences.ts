import type { JsonValue } from '../../protocol/json/json.ts'

/** A value that is not as it was. `path` begins with what it is part of: `args.amount`, `risk`. A side that is left out had no value. */
export interface Difference {
  path: string
  from?: JsonValue
  to?: JsonValue
}

/** Two values at one path. */
interface Pair {
  /** `''` for the root: paths then begin with its keys. */
  path: string
  from: JsonValue | undefined
  to: JsonValue | undefined
}

/**
 * The differences of two values, by the paths of what differs. The order of keys does not matter. Arrays are compared `'whole'`, or `'each'`
 * element by its index.
 */
export function jsonDifferences({ path, from, to }: Pair, arrays: 'whole' | 'each'): Difference[] {
  const difference = { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  if (!isTree(from) || !isTree(to) || Array.isArray(from) !== Array.isArray(to)) return from === to ? [] : [difference]
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  const inside = keys.flatMap((key) =>
    jsonDifferences({ path: path === '' ? key : `${path}.${key}`, from: own(from, key), to: own(to, key) }, arrays),
  )
  return Array.isArray(from) && arrays === 'whole' && inside.length > 0 ? [difference] : inside
}

function own(tree: JsonValue & object, key: string): JsonValue | undefined {
  return Object.hasOwn(tree, key) ? (tree as Record<string, JsonValue>)[key] : undefined
}

function isTree(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === 'object' && value !== null
}
