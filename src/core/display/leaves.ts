import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { pathOf, resolve } from './value-at.ts'

/** How deep objects are taken apart. What is deeper is shown as JSON. */
const DEPTH = 3

/** An argument and the path at which `valueAt` finds it, and nothing else. */
export interface Leaf {
  readonly path: string
  readonly value: JsonValue
}

/** The arguments of a call, one by one. Objects are taken apart, arrays are not. Together they are all of the call. */
export function leavesOf(args: JsonObject): Leaf[] {
  return keyedLeaves(args).map(toLeaf)
}

/** The arguments that no path covers, so that nothing of a call stays unseen. A path covers what is inside of the value that it leads to. */
export function uncovered(args: JsonObject, paths: readonly string[]): Leaf[] {
  const covered = paths.flatMap((path) => {
    const found = resolve(args, path)
    return found ? [found.keys] : []
  })
  const isInside = (keys: readonly string[]) => covered.some((outer) => outer.every((key, nth) => key === keys[nth]))
  return keyedLeaves(args)
    .filter(({ keys }) => !isInside(keys))
    .map(toLeaf)
}

/** A leaf by its keys: a path alone could mean another argument, whose key has a dot in it. */
interface KeyedLeaf {
  readonly keys: readonly string[]
  readonly value: JsonValue
}

function keyedLeaves(args: JsonObject): KeyedLeaf[] {
  return Object.entries(args).flatMap(([key, value]) => take([key], value, DEPTH))
}

function take(keys: readonly string[], value: JsonValue, depth: number): KeyedLeaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ keys, value }]
  const inner = Object.entries(value)
  if (inner.length === 0 || depth <= 1) return [{ keys, value }]
  return inner.flatMap(([key, each]) => take([...keys, key], each, depth - 1))
}

function toLeaf({ keys, value }: KeyedLeaf): Leaf {
  return { path: pathOf(keys), value }
}
