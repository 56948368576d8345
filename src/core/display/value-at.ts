import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'

/**
 * The value at a path of keys and indexes joined with dots. Each part is a key; `\.` is a dot inside of a key. Only where that leads nowhere, a key
 * with dots counts too. `length` of an array is its number of items. `undefined`: there is none.
 */
export function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  return resolve(args, path)?.value
}

/** A value, and the keys that lead to it. */
export interface Resolved {
  readonly keys: readonly string[]
  readonly value: JsonValue
}

/** Follows a path. The keys say which of two values it means that could be written alike: `{ a: { b } }` and `{ 'a.b' }`. */
export function resolve(args: JsonObject, path: string): Resolved | undefined {
  return follow(args, partsOf(path), [])
}

/** The path of keys, such that `resolve` leads back to them. */
export function pathOf(keys: readonly string[]): string {
  return keys.map((key) => key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')).join('.')
}

function partsOf(path: string): string[] {
  const parts = ['']
  for (const [piece] of path.matchAll(/\\[\\.]|[^\\.]+|[\\.]/g)) {
    if (piece === '.') parts.push('')
    else parts[parts.length - 1] += piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece
  }
  return parts
}

function follow(value: JsonValue | undefined, parts: readonly string[], keys: readonly string[]): Resolved | undefined {
  if (value === undefined) return undefined
  if (parts.length === 0) return { keys, value }
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const [step = '', ...rest] = parts
    if (step === 'length' && rest.length === 0) return { keys: [...keys, step], value: value.length }
    return /^\d{1,9}$/.test(step) ? follow(value[Number(step)], rest, [...keys, step]) : undefined
  }
  for (let size = 1; size <= parts.length; size++) {
    const key = parts.slice(0, size).join('.')
    const found = Object.hasOwn(value, key) ? follow(value[key], parts.slice(size), [...keys, key]) : undefined
    if (found) return found
  }
  return undefined
}
