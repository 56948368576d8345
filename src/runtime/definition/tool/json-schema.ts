import type { StandardSchema } from '../../../protocol/checks/standard-schema.ts'
import { type JsonObject, jsonProblem } from '../../../protocol/json/json.ts'
import { compileSchema } from '../../../schema/compile.ts'

interface Converters {
  '~standard': {
    jsonSchema?: { input?: (options: { target: string }) => unknown; output?: (options: { target: string }) => unknown }
  }
  toJSONSchema?: () => unknown
  toJsonSchema?: () => unknown
}

/** Converts a Standard Schema to JSON Schema with the schema's own converter. */
export function jsonSchemaOf(schema: StandardSchema): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  const converters = schema as unknown as Converters
  let value: unknown
  try {
    value =
      converters['~standard'].jsonSchema?.input?.({ target: 'draft-2020-12' }) ??
      converters.toJSONSchema?.() ??
      converters.toJsonSchema?.()
  } catch (error) {
    return {
      ok: false,
      problem: `its parameters cannot be expressed in JSON Schema (${(error as Error).message}): let them take and yield plain JSON (z.iso.datetime() instead of z.date()) and convert in execute, or pass parametersJsonSchema`,
    }
  }
  if (value === undefined) {
    return { ok: false, problem: 'its parameters provide no JSON Schema: pass parametersJsonSchema as well' }
  }
  return checkJsonSchema(value)
}

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Checks `parametersJsonSchema`. It must compile, since processes without the agent's code validate edits with it. */
export function checkGivenSchema(value: unknown): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  const checked = checkJsonSchema(value)
  if (!checked.ok) return checked
  const compiled = compileSchema(checked.value)
  return compiled.ok ? checked : { ok: false, problem: `its JSON Schema cannot be compiled: ${compiled.reason}` }
}

function checkJsonSchema(value: unknown): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  // Converters attach members that are not data: keep only what JSON has.
  const plain: unknown = JSON.parse(JSON.stringify(value ?? null))
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain))
    return { ok: false, problem: 'its JSON Schema is not an object' }
  const problem = jsonProblem(plain)
  if (problem) return { ok: false, problem: `its JSON Schema is not plain JSON: ${problem}` }
  const { $schema, ...schema } = plain as JsonObject
  if (schema.type !== 'object') return { ok: false, problem: 'its parameters must describe an object' }
  // Draft 2020-12 is the default.
  return { ok: true, value: $schema === undefined || $schema === DRAFT_2020 ? schema : (plain as JsonObject) }
}

/** Names the output type that cannot be stored and shown (`Date`, `BigInt`, …), if the schema declares one. */
export function outputProblem(schema: StandardSchema): string | undefined {
  try {
    ;(schema as unknown as Converters)['~standard'].jsonSchema?.output?.({ target: 'draft-2020-12' })
    return undefined
  } catch (error) {
    // The output of a transform is unknown before it runs.
    return /^(Date|BigInt|Map|Set|NaN|Symbols) /.exec((error as Error).message)?.[1]
  }
}
