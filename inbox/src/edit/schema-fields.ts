import type { DisplayField } from 'holdpoint/client'
import { minorDigits } from '../../../src/core/display/format.ts'
import { valueAt } from '../../../src/core/display/value-at.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json/json.ts'

/** How one argument is edited. */
export type Control =
  | { kind: 'text'; long: boolean; type: 'text' | 'email' | 'url' | 'date'; maxLength?: number }
  | { kind: 'number'; integer: boolean; min?: number; max?: number }
  /** An amount, written in the currency's own unit. `scale`: how often that unit is in the argument's. */
  | { kind: 'money'; currency: string; scale: number; digits: number; min?: number; max?: number }
  | { kind: 'choice'; options: readonly JsonValue[] }
  | { kind: 'flag' }
  /** Strings, one on each line. */
  | { kind: 'lines' }
  | { kind: 'fixed' }
  | { kind: 'secret' }
  | { kind: 'json' }

/** One argument of the form. */
export interface EditField {
  path: readonly string[]
  /** `path` as text. */
  key: string
  label: string
  required: boolean
  control: Control
}

interface Place {
  root: JsonObject
  args: JsonObject
  declared: readonly DisplayField[]
}

/** The fields of a form for arguments: those that the tool declared first, in its order, then the others of the schema. */
export function fieldsOf(
  schema: JsonObject | undefined,
  args: JsonObject,
  declared: readonly DisplayField[],
): EditField[] {
  const root = schema ?? inferred(args)
  const fields = fieldsIn(root, [], { root, args, declared })
  const rank = (field: EditField) => {
    const at = declared.findIndex(({ path }) => path === field.key)
    return at === -1 ? declared.length : at
  }
  return fields
    .map((field, at) => ({ field, at }))
    .sort((a, b) => rank(a.field) - rank(b.field) || a.at - b.at)
    .map(({ field }) => field)
}

/** A schema for arguments of which nothing is known but their values. */
function inferred(args: JsonObject): JsonObject {
  const typeOf = (value: JsonValue) =>
    typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? { type: typeof value } : {}
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeOf(value)])),
  }
}

function fieldsIn(schema: JsonObject, path: readonly string[], place: Place): EditField[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(properties).flatMap(([name, raw]) => {
    const inner = resolve(raw, place.root)
    const at = [...path, name]
    const key = at.join('.')
    const isDeclared = place.declared.some((field) => field.path === key)
    if (!isDeclared && isObject(inner.properties) && isObject(valueIn(place.args, at)))
      return fieldsIn(inner, at, place)
    const field = place.declared.find((each) => each.path === key)
    return [
      {
        path: at,
        key,
        label: field?.label ?? titleOf(inner) ?? key,
        required: required.includes(name),
        control: controlOf(inner, field, { ...place, value: valueIn(place.args, at) }),
      },
    ]
  })
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const titleOf = ({ title }: JsonObject) => (typeof title === 'string' ? title : undefined)

/** Follows a local reference, and takes the one form of a value that is not null. */
function resolve(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonObject {
  if (!isObject(schema) || depth > 20) return {}
  if (typeof schema.$ref === 'string' && schema.$ref.startsWith('#/')) {
    const steps = schema.$ref
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    return resolve(
      steps.reduce<JsonValue | undefined>((at, step) => (isObject(at) ? at[step] : undefined), root),
      root,
      depth + 1,
    )
  }
  const forms = Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : []
  const real = forms.filter((form) => !(isObject(form) && form.type === 'null'))
  if (real.length > 1 && real.every((form) => isObject(form) && form.const !== undefined))
    return { ...schema, enum: real.map((form) => (form as JsonObject).const as JsonValue) }
  return real.length === 1
    ? { ...resolve(real[0], root, depth + 1), ...(titleOf(schema) ? { title: schema.title as JsonValue } : {}) }
    : schema
}

function controlOf(
  schema: JsonObject,
  field: DisplayField | undefined,
  { args, value }: Place & { value: JsonValue | undefined },
): Control {
  if (schema.const !== undefined || schema.readOnly === true) return { kind: 'fixed' }
  if (field?.format === 'secret') return { kind: 'secret' }
  if (Array.isArray(schema.enum)) return { kind: 'choice', options: schema.enum }
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  switch (type) {
    case 'boolean':
      return { kind: 'flag' }
    case 'integer':
    case 'number':
      return numberControl({ ...schema, type }, field, args)
    case 'string':
      return textControl(schema, field, value)
    case 'array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? { kind: 'lines' }
        : { kind: 'json' }
    default:
      return { kind: 'json' }
  }
}

function numberControl(schema: JsonObject, field: DisplayField | undefined, args: JsonObject): Control {
  const integer = schema.type === 'integer'
  const bounds = {
    ...(typeof schema.minimum === 'number' && schema.minimum > Number.MIN_SAFE_INTEGER ? { min: schema.minimum } : {}),
    ...(typeof schema.maximum === 'number' && schema.maximum < Number.MAX_SAFE_INTEGER ? { max: schema.maximum } : {}),
  }
  const currency = typeof field?.currency === 'object' ? valueAt(args, field.currency.path) : field?.currency
  if (field?.format !== 'money' || typeof currency !== 'string') return { kind: 'number', integer, ...bounds }
  const digits = minorDigits(currency)
  return { kind: 'money', currency, digits, scale: field.unit === 'minor' ? 10 ** digits : 1, ...bounds }
}

const LONG = 80
const TYPES: Readonly<Record<string, 'email' | 'url' | 'date'>> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
}

function textControl(schema: JsonObject, field: DisplayField | undefined, value: JsonValue | undefined): Control {
  const maxLength = typeof schema.maxLength === 'number' ? { maxLength: schema.maxLength } : {}
  const text = typeof value === 'string' ? value : ''
  const long =
    text.length > LONG ||
    text.includes('\n') ||
    field?.format === 'sql' ||
    field?.format === 'code' ||
    (maxLength.maxLength ?? 0) > 200
  const type = TYPES[typeof schema.format === 'string' ? schema.format : ''] ?? 'text'
  // A control for dates shows nothing for a value that it cannot read.
  return { kind: 'text', long, type: type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text) ? 'text' : type, ...maxLength }
}

/** The value at a path of keys. */
export function valueIn(args: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    args,
  )
}
