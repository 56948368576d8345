import { isRecord } from '../../../protocol/checks/returned.ts'
import type { StandardIssue, StandardSchema } from '../../../protocol/checks/standard-schema.ts'
import { messageOf, ToolInvalid } from '../../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../../../protocol/json/json.ts'

/** Arguments after validation: the schema's output, or the problems. */
export type CheckedArgs<T = unknown> = { ok: true; value: T } | { ok: false; problems: string[] }

/** Validates a copy of the arguments. */
async function checkArgs<T>(schema: StandardSchema<unknown, T>, args: JsonObject): Promise<CheckedArgs<T>> {
  const result = await schema['~standard'].validate(cloneJson(args))
  return result.issues ? { ok: false, problems: result.issues.map(toProblem) } : { ok: true, value: result.value }
}

/** Arguments to record. `argsInput` holds the original input if the schema does not accept its own output. */
export type RecordedArgs = { ok: true; args: JsonObject; argsInput?: JsonObject } | { ok: false; problems: string[] }

/**
 * Returns the arguments that are recorded, shown, hashed and run: the schema's output. Throws `ToolInvalid` if that is not plain JSON, since
 * people could not be shown what the body gets.
 */
export async function recordArgs(
  tool: { name: string; parameters: StandardSchema },
  input: JsonObject,
): Promise<RecordedArgs> {
  const first = await parse(tool, input)
  if (!first.ok) return first
  const args = first.value
  if (jsonEqual(args, input)) return { ok: true, args }
  const second = await parse(tool, args).catch(() => undefined)
  const accepts = second?.ok === true && jsonEqual(second.value, args)
  return accepts ? { ok: true, args } : { ok: true, args, argsInput: cloneJson(input) }
}

async function parse(
  { name, parameters }: { name: string; parameters: StandardSchema },
  args: JsonObject,
): Promise<CheckedArgs<JsonObject>> {
  let checked: CheckedArgs
  try {
    checked = await checkArgs(parameters, args)
  } catch (error) {
    throw new ToolInvalid(name, `its schema threw: ${messageOf(error)}`)
  }
  if (!checked.ok) return checked
  const value = withoutUndefined(checked.value)
  const problem = isRecord(value) ? jsonProblem(value, 'args') : 'args is not an object'
  if (problem) throw new ToolInvalid(name, notPlain(problem))
  return { ok: true, value: cloneJson(value as JsonObject) }
}

/** The error message for a schema whose output is not plain JSON, with the fix. */
export function notPlain(problem: string): string {
  return `the output of its schema is not plain JSON (${problem}), so a person cannot be shown what the body gets: let it yield strings, numbers, booleans, arrays and objects (z.iso.datetime() instead of z.coerce.date()), and convert them in execute`
}

/** Removes members that are `undefined`: JSON has none, and to a body they equal absent ones. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  const prototype: unknown = isRecord(value) ? Object.getPrototypeOf(value) : undefined
  if (!isRecord(value) || (prototype !== Object.prototype && prototype !== null)) return value
  const kept = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutUndefined(member)]))
}

/** The recorded arguments of a call: see `Release`. */
export interface KnownArgs {
  args: JsonObject
  asRun: boolean
  argsInput: JsonObject | undefined
}

/**
 * Returns the arguments for a body: exactly the recorded ones, if the current schema still accepts them. Calls without `asRun`, from earlier
 * versions, are parsed again.
 */
export async function bodyArgs(schema: StandardSchema, { args, asRun, argsInput }: KnownArgs): Promise<CheckedArgs> {
  const checked = await checkArgs(schema, argsInput ?? args)
  return checked.ok && asRun ? { ok: true, value: cloneJson(args) } : checked
}

/** The paths of the fields that a schema removed. */
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

export function toProblem(issue: StandardIssue): string {
  const path = issue.path?.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
  return path ? `${path}: ${issue.message}` : issue.message
}
