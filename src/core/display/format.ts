import type { DisplayField } from '../../protocol/display.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { valueAt } from './value-at.ts'

/** How values are written. */
export interface FormatOptions {
  /** Default `'en'`. */
  locale?: string
}

/** A currency code that `Intl` can use. */
const CURRENCY = /^[A-Za-z]{3}$/
/** Integers above this are no longer exact. */
const EXACT = Number.MAX_SAFE_INTEGER

/** A value of a call as plain text: hidden characters are still in it. Secrets are dots. `undefined`: the call has no such argument. */
export function formatField(field: DisplayField, args: JsonObject, options: FormatOptions = {}): string | undefined {
  const value = valueAt(args, field.path)
  if (value === undefined) return undefined
  switch (field.format) {
    case 'money':
      return money(field, args, options) ?? plain(value)
    case 'number':
      return typeof value === 'number' ? number(value, options) : plain(value)
    case 'flag':
      return typeof value === 'boolean' ? (value ? 'yes' : 'no') : plain(value)
    case 'secret':
      return secret(value)
    case 'list':
      return Array.isArray(value) ? list(value, options) : plain(value)
    case 'email':
    case 'path':
    case 'url':
    case 'id':
    case 'enum':
    case 'date':
    case 'text':
    case 'sql':
    case 'code':
    case 'json':
      return Array.isArray(value) && field.format !== 'json' ? list(value, options) : plain(value)
    default:
      return field.format satisfies never
  }
}

/** An amount with its currency and all minor digits. `undefined`: it is not an amount, or its currency is not known. */
function money({ path, currency, unit = 'major' }: DisplayField, args: JsonObject, options: FormatOptions) {
  const value = valueAt(args, path)
  const amount = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof amount !== 'number' || !Number.isFinite(amount) || Math.abs(amount) > EXACT) return undefined
  const code = typeof currency === 'object' ? valueAt(args, currency.path) : currency
  const text = typeof code === 'string' ? formatMoney(amount, { ...options, currency: code, unit }) : undefined
  // Without a currency nobody knows how many digits the minor unit has.
  return text ?? (unit === 'minor' ? undefined : number(amount, options))
}

/** How an amount is written. */
export interface MoneyOptions extends FormatOptions {
  /** Such as `'EUR'`. */
  currency: string
  /** Default `'major'`. */
  unit?: 'minor' | 'major'
}

/** An amount with its currency. `undefined`: the currency is not a code of three letters. */
export function formatMoney(amount: number, { currency, unit = 'major', locale = 'en' }: MoneyOptions) {
  if (!CURRENCY.test(currency)) return undefined
  const code = currency.toUpperCase()
  const digits = minorDigits(code)
  const major = unit === 'minor' ? amount / 10 ** digits : amount
  // An amount with more digits than the currency has is never rounded: what is shown is what is paid.
  const exact = Number(major.toFixed(digits)) === major
  return exact
    ? new Intl.NumberFormat(locale, { style: 'currency', currency: code }).format(major)
    : `${plain(major)} ${code}`
}

/** How many digits a currency has after the point. What is not a currency has two. */
export function minorDigits(currency: string): number {
  if (!CURRENCY.test(currency)) return 2
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}

function number(value: number, { locale = 'en' }: FormatOptions): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value)
}

function secret(value: JsonValue): string {
  return typeof value === 'string' ? `•••••••• (${[...value].length} characters)` : '••••••••'
}

function list(values: readonly JsonValue[], options: FormatOptions): string {
  const [first, ...others] = values
  if (first === undefined) return '(empty list)'
  const rest = others.length === 0 ? '' : ` and ${number(others.length, options)} more`
  return `${plain(first)}${rest}`
}

function plain(value: JsonValue): string {
  if (value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
