import type { JsonObject, JsonValue } from '../../../src/index.ts'

/** A copy of what a host saved, in which a call has other arguments, wherever it is: as an object, or as text. */
export function withArgs(saved: JsonValue, callId: string, args: JsonObject): JsonValue {
  if (Array.isArray(saved)) return saved.map((value) => withArgs(value, callId, args))
  if (typeof saved !== 'object' || saved === null) return saved
  const copy = Object.entries(saved).map(([key, value]) => [key, withArgs(value as JsonValue, callId, args)])
  const object = Object.fromEntries(copy) as JsonObject
  if (object.id === callId && 'args' in object) return { ...object, args }
  if (object.callId === callId && 'arguments' in object) return { ...object, arguments: JSON.stringify(args) }
  return object
}
