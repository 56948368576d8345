import { type JsonObject, jsonProblem } from '../protocol/json/json.ts'
import type { ReplySchema } from './reply-schema.ts'

interface Converters {
  '~standard': { jsonSchema?: { input?: (options: { target: string }) => unknown } }
  toJSONSchema?: () => unknown
  toJsonSchema?: () => unknown
}

/** Converts a schema to JSON Schema, for readers without the code. `undefined` if it cannot be converted to plain JSON. */
export function replyJsonSchema(schema: ReplySchema): JsonObject | undefined {
  const converters = schema as unknown as Converters
  try {
    const given =
      converters['~standard'].jsonSchema?.input?.({ target: 'draft-2020-12' }) ??
      converters.toJSONSchema?.() ??
      converters.toJsonSchema?.()
    // Converters attach members that are not JSON; only the serialised form is sent.
    const plain: unknown = JSON.parse(JSON.stringify(given ?? null))
    const isObject = typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    return isObject && jsonProblem(plain) === undefined ? (plain as JsonObject) : undefined
  } catch {
    // JSON Schema cannot express every schema. The asker still checks replies with the schema itself.
    return undefined
  }
}
