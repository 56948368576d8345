import type { JsonObjectSchema, ParametersSchema, StandardSchema } from '../../../protocol/checks/standard-schema.ts'
import { InputInvalid } from '../../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../../protocol/json/json.ts'
import { compileSchema } from '../../../schema/compile.ts'

/**
 * Makes a Standard Schema of a JSON Schema (draft 2020-12, or draft 7 if `$schema` says so). Values are checked and not changed: `default` is only
 * shown to the model. `T` is the type of what fits, which the compiler cannot check. Throws `InputInvalid` if the schema cannot be enforced.
 */
export function jsonSchema<T = JsonObject>(schema: JsonObjectSchema): StandardSchema<unknown, T> {
  // Methods and symbols would be lost without a trace: this may be a schema of a library that is no Standard Schema.
  const problem = jsonProblem(schema, 'schema')
  if (problem) throw new InputInvalid(`jsonSchema() needs a plain JSON Schema: ${problem}.`)
  const own = cloneJson(schema as JsonObject)
  const compiled = compileSchema(own)
  if (!compiled.ok) throw new InputInvalid(`The JSON Schema cannot be compiled: ${compiled.reason}.`)
  const made: StandardSchema<unknown, T> & { toJSONSchema(): JsonObject } = {
    toJSONSchema: () => cloneJson(own),
    ...checkedBy<T>((value) => compiled.problems(value)),
  }
  return Object.freeze(made)
}

/** A Standard Schema that returns what it is given, unless there are problems with it. */
export function checkedBy<T>(problems: (value: JsonValue) => readonly string[]): StandardSchema<unknown, T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => {
        const found = problems(value as JsonValue)
        return found.length > 0 ? { issues: found.map((message) => ({ message })) } : { value: value as T }
      },
    },
  }
}

/** The Standard Schema of `parameters`, which may be a JSON Schema. Anything else is returned as it is. */
export function toStandardSchema(parameters: ParametersSchema): StandardSchema {
  if (typeof parameters !== 'object' || parameters === null || '~standard' in parameters)
    return parameters as StandardSchema
  return jsonSchema(parameters as JsonObjectSchema)
}
