import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'

/** How one argument is edited. What a form has no control for is edited as JSON. */
export type Control =
  | { kind: 'text'; long: boolean; maxLength?: number }
  | { kind: 'number'; integer: boolean; min?: number; max?: number }
  | { kind: 'flag' }
  | { kind: 'choice'; choices: readonly (string | number)[] }
  | { kind: 'json' }

/** One argument in a form. */
export interface SchemaField {
  name: string
  label: string
  hint?: string
  required: boolean
  control: Control
}

/** Why what was typed is not a value: it is missing, not a number, not JSON, or out of range. */
export type FieldProblem = 'missing' | 'number' | 'json' | { from: number | undefined; to: number | undefined }

/** What was typed, read as a value. */
export type Typed = { value: JsonValue | undefined } | { problem: FieldProblem }

const LONG_TEXT = 80

/** The fields of a form: the properties of a tool's JSON Schema, and the arguments that it does not name. */
export function fieldsOfSchema(schema: JsonObject | undefined, args: JsonObject): SchemaField[] {
  const properties = isObject(schema?.properties) ? schema.properties : {}
  const required = Array.isArray(schema?.required) ? schema.required : []
  const names = [...new Set([...Object.keys(args), ...Object.keys(properties)])]
  return names.map((name) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const property = isObject(own) ? own : {}
    return {
      name,
      label: typeof property.title === 'string' ? property.title : name,
      ...(typeof property.description === 'string' ? { hint: property.description } : {}),
      required: required.includes(name),
      control: controlOf(property, Object.hasOwn(args, name) ? args[name] : undefined),
    }
  })
}

function controlOf(property: JsonObject, value: JsonValue | undefined): Control {
  if (
    Array.isArray(property.enum) &&
    property.enum.every((each) => typeof each === 'string' || typeof each === 'number')
  )
    return { kind: 'choice', choices: property.enum }
  switch (property.type) {
    case 'boolean':
      return { kind: 'flag' }
    case 'number':
    case 'integer':
      return { kind: 'number', integer: property.type === 'integer', ...range(property) }
    case 'string': {
      const { maxLength } = property
      const long = typeof value === 'string' && (value.length > LONG_TEXT || value.includes('\n'))
      return { kind: 'text', long, ...(typeof maxLength === 'number' ? { maxLength } : {}) }
    }
    default:
      return { kind: 'json' }
  }
}

function range({ minimum, maximum }: JsonObject): { min?: number; max?: number } {
  return {
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  }
}

/** A value as it is typed into its control. */
export function toTyped(control: Control, value: JsonValue | undefined): string {
  if (value === undefined) return ''
  return control.kind === 'json' ? JSON.stringify(value, undefined, 2) : String(value)
}

/** Reads what was typed. The server checks it again against the whole schema. */
export function readTyped({ control, required }: SchemaField, typed: string): Typed {
  if (typed === '' && control.kind !== 'text') return required ? { problem: 'missing' } : { value: undefined }
  switch (control.kind) {
    case 'text':
      return { value: typed }
    case 'flag':
      return { value: typed === 'true' }
    case 'choice':
      return { value: control.choices.find((choice) => String(choice) === typed) }
    case 'number':
      return readNumber(control, typed)
    case 'json':
      try {
        return { value: JSON.parse(typed) as JsonValue }
      } catch {
        return { problem: 'json' }
      }
    default:
      return control satisfies never
  }
}

function readNumber({ integer, min, max }: Control & { kind: 'number' }, typed: string): Typed {
  const value = Number(typed)
  if (!Number.isFinite(value) || (integer && !Number.isInteger(value))) return { problem: 'number' }
  if ((min !== undefined && value < min) || (max !== undefined && value > max))
    return { problem: { from: min, to: max } }
  return { value }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
