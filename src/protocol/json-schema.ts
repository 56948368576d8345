import { z } from 'zod'
import type { JsonObject } from './json.ts'

/** What is wrong with a value by a stored JSON Schema. A schema that this cannot express has no objection: the driver checks again with the tool's own. */
export function schemaProblems(schema: JsonObject, value: JsonObject): string[] {
  return compileSchema(schema)(value)
}

/** The same for checking many values: what is wrong with each. */
export function compileSchema(schema: JsonObject): (value: unknown) => string[] {
  let check: z.ZodType
  try {
    check = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return () => []
  }
  return (value) => {
    const result = check.safeParse(value)
    if (result.success) return []
    return result.error.issues.map((issue) =>
      issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message,
    )
  }
}
