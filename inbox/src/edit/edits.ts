import type { JsonObject, JsonValue } from '../../../src/protocol/json/json.ts'
import { type Control, type EditField, valueIn } from './schema-fields.ts'

/** What is written in a form, by the key of its field. Only fields that were touched are in it. */
export type Written = Readonly<Record<string, string>>

/** A value as its control writes it. */
export function toText(control: Control, value: JsonValue | undefined): string {
  if (value === undefined) return ''
  switch (control.kind) {
    case 'money':
      return typeof value === 'number'
        ? (value / control.scale).toFixed(
            control.scale === 1 ? Math.max(control.digits, decimalsOf(value)) : control.digits,
          )
        : String(value)
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : ''
    case 'json':
      return JSON.stringify(value, undefined, 2)
    case 'choice':
      return JSON.stringify(value)
    case 'text':
    case 'number':
    case 'flag':
    case 'fixed':
    case 'secret':
      return typeof value === 'string' ? value : JSON.stringify(value)
    default:
      return control satisfies never
  }
}

const decimalsOf = (value: number) => (String(value).split('.')[1] ?? '').length

/** Why a text is no value. */
type Unreadable = 'number' | 'integer' | 'json'

/** The value of a text. `value` is absent if the field was emptied and may be left out. */
function fromText({ control, required }: EditField, text: string): { value?: JsonValue } | { unreadable: Unreadable } {
  switch (control.kind) {
    case 'text':
    case 'secret':
      return text === '' && !required ? {} : { value: text }
    case 'number':
      return numberFrom(text, { required, integer: control.integer })
    case 'money':
      return moneyFrom(text, control, required)
    case 'flag':
      return { value: text === 'true' }
    case 'lines': {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      return { value: lines }
    }
    case 'choice':
    case 'json':
      if (text.trim() === '' && !required) return {}
      return jsonFrom(text)
    case 'fixed':
      return {}
    default:
      return control satisfies never
  }
}

function numberFrom(
  text: string,
  { required, integer }: { required: boolean; integer: boolean },
): { value?: JsonValue } | { unreadable: Unreadable } {
  const plain = text.trim()
  if (plain === '' && !required) return {}
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return { unreadable: integer ? 'integer' : 'number' }
  const value = Number(plain)
  return Number.isFinite(value) ? { value } : { unreadable: 'number' }
}

/** An amount. A comma may stand before the last digits. The result is exact: 80.10 in cents is 8010. */
function moneyFrom(
  text: string,
  { scale, digits }: Extract<Control, { kind: 'money' }>,
  required: boolean,
): { value?: JsonValue } | { unreadable: Unreadable } {
  const plain = text
    .trim()
    .replace(/,(\d{1,2})$/, '.$1')
    .replace(/[\s’',](?=\d{3}(\D|$))/g, '')
  if (plain === '' && !required) return {}
  const found = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(plain)
  if (!found) return { unreadable: 'number' }
  const [, sign = '', whole = '0', decimals = ''] = found
  if (scale === 1) return { value: Number(plain) }
  if (decimals.length > digits) return { unreadable: 'number' }
  const minor = Number(`${whole}${decimals.padEnd(digits, '0')}`)
  return { value: sign === '-' ? -minor : minor }
}

function jsonFrom(text: string): { value: JsonValue } | { unreadable: Unreadable } {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return { unreadable: 'json' }
  }
}

/** What a form makes of the arguments. */
export interface Edited {
  args: JsonObject
  /** Keys of fields that differ from what was asked. */
  changed: readonly string[]
  /** Keys of fields whose text is no value, and why. */
  unreadable: Readonly<Record<string, Unreadable>>
}

/** Puts what is written into the arguments. What was asked is not touched. */
export function applyEdits(asked: JsonObject, fields: readonly EditField[], written: Written): Edited {
  let args = structuredClone(asked)
  const changed: string[] = []
  const unreadable: Record<string, Unreadable> = {}
  for (const field of fields) {
    const text = written[field.key]
    const before = valueIn(asked, field.path)
    if (text === undefined || text === toText(field.control, before)) continue
    const read = fromText(field, text)
    if ('unreadable' in read) {
      unreadable[field.key] = read.unreadable
      changed.push(field.key)
      continue
    }
    if (JSON.stringify(read.value) === JSON.stringify(before)) continue
    args = put(args, field.path, read.value)
    changed.push(field.key)
  }
  return { args, changed, unreadable }
}

function put(at: JsonObject, [key, ...rest]: readonly string[], value: JsonValue | undefined): JsonObject {
  if (key === undefined) return at
  const { [key]: before, ...others } = at
  if (rest.length === 0) return value === undefined ? others : { ...at, [key]: value }
  const inner = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {}
  return { ...at, [key]: put(inner, rest, value) }
}
