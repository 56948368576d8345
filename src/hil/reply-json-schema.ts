import { type JsonObject, jsonProblem } from '../protocol/json/json.ts'
import type { ReplySchema } from './reply-schema.ts'

interface Converters {
  '~standard': { jsonSchema?: { input?: (options: { target: string }) => unknown } }
  toJSONSchema?: () => unknown
  toJsonSchema?: () => unknown
}

/** What a schema gives of itself as JSON Schema, for those who have only data; `undefined` if it gives nothing that can be sent. */
export function replyJsonSchema(schema: ReplySchema): JsonObject | undefined {
  const converters = schema as unknown as Converters
  try {
    const given =
      converters['~standard'].jsonSchema?.input?.({ target: 'draft-2020-12' }) ??
      converters.toJSONSchema?.() ??
      converters.toJsonSchema?.()
    // Converters attach things of their own that are not data; the text is what counts.
    const plain: unknown = JSON.parse(JSON.stringify(given ?? null))
    const isObject = typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    return isObject && jsonProblem(plain) === undefined ? (plain as JsonObject) : undefined
  } catch {
    // It has parts that JSON Schema cannot tell; the asker checks with the schema itself.
    return undefined
  }
}
