import type { JsonObject, JsonValue } from '../../index.ts'
import { cloneJson, type ParsedArgs, parseArgsText } from '../../protocol/json/json.ts'

/**
 * The arguments with one `field=value` changed. If the field holds a string, the value is a string, else it is JSON; `field:=value` is always
 * JSON. Dots name nested fields: `to.name`.
 */
export function withChange(args: JsonObject, change: string): ParsedArgs {
  const match = /^([^=]*?)(:?)=([\s\S]*)$/.exec(change)
  if (!match) return { ok: false, problem: `'${change}' is not field=value` }
  const [, field = '', json = '', text = ''] = match
  const copy = cloneJson(args)
  const place = findPlace(copy, field.trim())
  if (!place.ok) return place
  const value = readValue(text, { json: json !== '', before: place.holder[place.key] })
  if (!value.ok) return { ok: false, problem: `${field}: ${value.problem}` }
  place.holder[place.key] = value.value
  return { ok: true, args: copy }
}

type Place = { ok: true; holder: Record<string, JsonValue>; key: string } | { ok: false; problem: string }

function findPlace(args: JsonObject, field: string): Place {
  if (field === '') return { ok: false, problem: 'name the field before the =' }
  if (Object.hasOwn(args, field)) return { ok: true, holder: args, key: field }
  const path = field.split('.')
  const key = path.pop() ?? ''
  let holder: JsonValue = args
  for (const step of path) {
    const inner: JsonValue | undefined = isHolder(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined
    if (inner === undefined) return { ok: false, problem: `there is no ${field}` }
    holder = inner
  }
  if (!isHolder(holder)) return { ok: false, problem: `there is no ${field}` }
  if (Array.isArray(holder) && !Object.hasOwn(holder, key)) return { ok: false, problem: `there is no ${field}` }
  // Assigning to this key would set the prototype.
  if (key === '__proto__') return { ok: false, problem: `${field} cannot be set` }
  return { ok: true, holder, key }
}

function isHolder(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function readValue(
  text: string,
  { json, before }: { json: boolean; before: JsonValue | undefined },
): { ok: true; value: JsonValue } | { ok: false; problem: string } {
  if (!json && typeof before === 'string') return { ok: true, value: text }
  // As a member of an object: that parser refuses numbers that would be rounded.
  const parsed = parseArgsText(`{"value":${text}}`)
  const only = parsed.ok && Object.keys(parsed.args).length === 1 ? parsed.args.value : undefined
  if (only !== undefined) return { ok: true, value: only }
  if (!json && before === undefined && !parsed.ok) return { ok: true, value: text }
  return {
    ok: false,
    problem: `${text === '' ? 'nothing' : text} is not JSON${before === undefined ? '' : `, and it is ${typeOf(before)} now`}`,
  }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
