import type { JsonObject, JsonValue } from '../protocol/json/json.ts'

const MARK = 'Each of these is a schema of its own.'

/** Joins schemas that must all fit. Each keeps its own draft and its own references. */
export function joinSchemas(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...others] = schemas.flatMap((schema) => joinedSchemas(schema) ?? [schema])
  if (only === undefined) return {}
  return others.length === 0 ? only : { $comment: MARK, allOf: [only, ...others] }
}

/** The schemas that a joined one consists of. */
export function joinedSchemas({ $comment, allOf, ...others }: JsonObject): JsonObject[] | undefined {
  const isJoined =
    $comment === MARK && Array.isArray(allOf) && allOf.every(isObject) && Object.keys(others).length === 0
  return isJoined ? (allOf as JsonObject[]) : undefined
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
