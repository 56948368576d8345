import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'

/**
 * The value at a path of keys and indexes joined with dots. A key may itself contain dots: the longest key that exists counts. `length` of an
 * array is its number of items. `undefined`: there is none.
 */
export function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  return follow(args, path.split('.'))
}

function follow(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  if (steps.length === 0) return value
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const [step = '', ...rest] = steps
    if (step === 'length' && rest.length === 0) return value.length
    return /^\d{1,9}$/.test(step) ? follow(value[Number(step)], rest) : undefined
  }
  for (let size = steps.length; size > 0; size--) {
    const key = steps.slice(0, size).join('.')
    if (Object.hasOwn(value, key)) return follow(value[key], steps.slice(size))
  }
  return undefined
}
