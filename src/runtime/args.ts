import { messageOf, ToolInvalid } from '../protocol/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../protocol/json.ts'
import type { StandardIssue, StandardSchema } from './standard-schema.ts'

/** What a schema made of arguments. */
export type CheckedArgs<T = unknown> = { ok: true; value: T } | { ok: false; problems: string[] }

/** Runs arguments through a schema; it gets a copy of its own. */
export async function checkArgs<T>(schema: StandardSchema<unknown, T>, args: JsonObject): Promise<CheckedArgs<T>> {
  const result = await schema['~standard'].validate(cloneJson(args))
  return result.issues ? { ok: false, problems: result.issues.map(toProblem) } : { ok: true, value: result.value }
}

/** Arguments to record. */
export type RecordedArgs = { ok: true; args: JsonObject; value: unknown } | { ok: false; problems: string[] }

/**
 * Chooses what is recorded, shown, hashed and run: the schema's output if it is plain JSON that the schema maps to itself (defaults filled in,
 * unknown keys gone), else the input, to be validated again right before it runs.
 */
export async function recordArgs(
  tool: { name: string; parameters: StandardSchema },
  input: JsonObject,
): Promise<RecordedArgs> {
  try {
    return await choose(tool.parameters, input)
  } catch (error) {
    throw new ToolInvalid(tool.name, `its schema threw: ${messageOf(error)}`)
  }
}

async function choose(schema: StandardSchema, input: JsonObject): Promise<RecordedArgs> {
  const first = await checkArgs(schema, input)
  if (!first.ok) return first
  const output = first.value as JsonValue
  if (typeof output !== 'object' || output === null || Array.isArray(output) || jsonProblem(output)) {
    return { ok: true, args: input, value: first.value }
  }
  if (jsonEqual(output, input)) return { ok: true, args: input, value: output }
  const second = await checkArgs(schema, output)
  const isFixed = second.ok && jsonEqual(second.value as JsonValue, output)
  return { ok: true, args: isFixed ? cloneJson(output) : input, value: first.value }
}

/** The fields that a schema left out, by their path. */
export function lostFields(given: JsonValue, kept: JsonValue, path = ''): string[] {
  if (!isObject(given) || !isObject(kept)) return []
  return Object.keys(given).flatMap((key) => {
    const place = path === '' ? key : `${path}.${key}`
    return Object.hasOwn(kept, key) ? lostFields(given[key]!, kept[key]!, place) : [place]
  })
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function toProblem(issue: StandardIssue): string {
  const path = issue.path?.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
  return path ? `${path}: ${issue.message}` : issue.message
}
