import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'

/** How deep objects are taken apart. What is deeper is shown as JSON. */
const DEPTH = 3

/** An argument and the path at which `valueAt` finds it. */
export interface Leaf {
  readonly path: string
  readonly value: JsonValue
}

/** The arguments of a call, one by one. Objects are taken apart, arrays are not. Together they are all of the call. */
export function leavesOf(args: JsonObject): Leaf[] {
  return Object.entries(args).flatMap(([key, value]) => leaves(key, value, DEPTH))
}

function leaves(path: string, value: JsonValue, depth: number): Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }]
  const inner = Object.entries(value)
  if (inner.length === 0 || depth <= 1) return [{ path, value }]
  return inner.flatMap(([key, each]) => leaves(`${path}.${key}`, each, depth - 1))
}

/** The arguments that no path covers, so that nothing of a call stays unseen. A path covers what is inside of it. */
export function uncovered(args: JsonObject, paths: readonly string[]): Leaf[] {
  return leavesOf(args).filter(({ path }) => !paths.some((one) => path === one || path.startsWith(`${one}.`)))
}
