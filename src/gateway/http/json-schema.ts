import { z } from 'zod'
import { jsonObject } from '../../protocol/message.ts'

/** The parameters of a query. */
export function queryParameters(query: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** A body of JSON. */
export function json(schema: object): object {
  return { 'application/json': { schema } }
}

/** A custom check has no JSON Schema. Objects are at least described as objects. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === jsonObject()) jsonSchema.type = 'object'
    },
  })
  return rest
}
