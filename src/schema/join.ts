import type { JsonObject, JsonValue } from '../protocol/json/json.ts'

const MARK = 'Each of these is a schema of its own.'

/** One schema of several that must all fit. Each keeps its own draft, and its references stay its own. */
export function joinSchemas(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...others] = schemas.flatMap((schema) => joinedSchemas(schema) ?? [schema])
  if (only === undefined) return {}
  return others.length === 0 ? only : { $comment: MARK, allOf: [only, ...others] }
}

/** The schemas that one was joined of. */
export function joinedSchemas({ $comment, allOf, ...others }: JsonObject): JsonObject[] | undefined {
  const isJoined =
    $comment === MARK && Array.isArray(allOf) && allOf.every(isObject) && Object.keys(others).length === 0
  return isJoined ? (allOf as JsonObject[]) : undefined
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
