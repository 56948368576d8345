import { isRecord } from '../../protocol/checks/returned.ts'
import type { StandardIssue, StandardSchema } from '../../protocol/checks/standard-schema.ts'
import { messageOf, ToolInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../../protocol/json/json.ts'

/** What a schema made of arguments. */
export type CheckedArgs<T = unknown> = { ok: true; value: T } | { ok: false; problems: string[] }

/** Runs arguments through a schema; it gets a copy of its own. */
async function checkArgs<T>(schema: StandardSchema<unknown, T>, args: JsonObject): Promise<CheckedArgs<T>> {
  const result = await schema['~standard'].validate(cloneJson(args))
  return result.issues ? { ok: false, problems: result.issues.map(toProblem) } : { ok: true, value: result.value }
}

/** Arguments to record: `argsInput` is what they were made of, where the schema does not accept its own output. */
export type RecordedArgs = { ok: true; args: JsonObject; argsInput?: JsonObject } | { ok: false; problems: string[] }

/**
 * What is recorded, shown, hashed and run: the schema's output, which must be plain JSON. If it is not, people could not be shown what the body
 * gets, and the call stops here.
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
  const problem = isRecord(value) ? jsonProblem(value, 'args') : 'args are no object'
  if (problem) throw new ToolInvalid(name, notPlain(problem))
  return { ok: true, value: cloneJson(value as JsonObject) }
}

/** What is wrong with a schema whose output is not plain JSON, and what to do about it. */
export function notPlain(problem: string): string {
  return `what its schema makes of the arguments is not plain JSON (${problem}), so a person cannot be shown what the body gets: let it yield strings, numbers, booleans, arrays and objects (z.iso.datetime() instead of z.coerce.date()), and convert them in execute`
}

/** An absent member and one that is `undefined` are the same to a body, and JSON knows the first alone. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  const prototype: unknown = isRecord(value) ? Object.getPrototypeOf(value) : undefined
  if (!isRecord(value) || (prototype !== Object.prototype && prototype !== null)) return value
  const kept = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutUndefined(member)]))
}

/** What is known of the arguments of a call: see `Release`. */
export interface KnownArgs {
  args: JsonObject
  asRun: boolean
  argsInput: JsonObject | undefined
}

/**
 * What a body gets: exactly what was recorded, if the schema as it is now would still take it. Calls recorded by versions that did not record
 * that are parsed as they were then.
 */
export async function bodyArgs(schema: StandardSchema, { args, asRun, argsInput }: KnownArgs): Promise<CheckedArgs> {
  const checked = await checkArgs(schema, argsInput ?? args)
  return checked.ok && asRun ? { ok: true, value: cloneJson(args) } : checked
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

export function toProblem(issue: StandardIssue): string {
  const path = issue.path?.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
  return path ? `${path}: ${issue.message}` : issue.message
}
