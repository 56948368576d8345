/** Plain JSON: the only data that is stored, sent or shown. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue
}

const MAX_DEPTH = 200

/**
 * Says where and why a value is not plain JSON, or returns `undefined` if it is. Plain means that storing and reading
 * it gives an equal value: no `undefined`, functions, dates, maps, class instances, sparse arrays, non-finite numbers,
 * `-0`, lone surrogates or cycles.
 */
export function jsonProblem(value: unknown, path = '$', depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `${path} is nested more than ${MAX_DEPTH} levels deep`
  switch (typeof value) {
    case 'string':
      return isWellFormed(value) ? undefined : `${path} holds a lone surrogate`
    case 'boolean':
      return undefined
    case 'number':
      if (Object.is(value, -0)) return `${path} is -0, which JSON does not keep`
      return Number.isFinite(value) ? undefined : `${path} is ${value}`
    case 'object':
      if (value === null) return undefined
      return Array.isArray(value) ? arrayProblem(value, path, depth) : objectProblem(value, path, depth)
    default:
      return `${path} is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`
  }
}

/** Whether a value is plain JSON: {@link jsonProblem} without the explanation. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value)
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object': {
      if (value === null) return true
      if (depth >= MAX_DEPTH) return false
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) if (!isJson(value[i], depth + 1)) return false
        return true
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) return false
      if (Object.getOwnPropertySymbols(value).length > 0) return false
      for (const key of Object.keys(value)) {
        if (!isWellFormed(key) || !isJson((value as Record<string, unknown>)[key], depth + 1)) return false
      }
      return true
    }
    default:
      return false
  }
}

function arrayProblem(value: unknown[], path: string, depth: number): string | undefined {
  for (let i = 0; i < value.length; i++) {
    const problem = jsonProblem(value[i], `${path}[${i}]`, depth + 1)
    if (problem) return problem
  }
  return undefined
}

function objectProblem(value: object, path: string, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return `${path} is ${(prototype as { constructor?: { name?: string } }).constructor?.name ?? 'an object'}, not a plain object`
  }
  if (Object.getOwnPropertySymbols(value).length > 0) return `${path} has a symbol key`
  for (const key of Object.keys(value)) {
    if (!isWellFormed(key)) return `a key of ${path} holds a lone surrogate`
    const problem = jsonProblem((value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1)
    if (problem) return problem
  }
  return undefined
}

/** Whether a string has no lone surrogates, so that it survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text) || !/\p{Surrogate}/u.test(text)
}

/** Replaces every lone surrogate, so that the string survives UTF-8 and can be signed. */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** A deep copy that shares nothing with the original. `value` must be plain JSON. */
export function cloneJson<T extends JsonValue>(value: T): T {
  return copy(value) as T
}

function copy(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(copy)
  const copied: JsonObject = {}
  for (const key of Object.keys(value)) {
    // Assigning to __proto__ would set the prototype instead of a key.
    if (key === '__proto__') Object.defineProperty(copied, key, { value: copy(value[key]!), ...OWN })
    else copied[key] = copy(value[key]!)
  }
  return copied
}

const OWN = { enumerable: true, writable: true, configurable: true } as const

/** Equality of plain JSON; the order of keys does not matter. */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]))
  }
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  )
}

/** The result of parsing arguments that a model sent as a string. */
export type ParsedArgs = { ok: true; args: JsonObject } | { ok: false; problem: string }

/**
 * Parses arguments that arrived as a string. A number that JavaScript cannot represent exactly (`12345678901234567890`)
 * is an error, not rounded: people must approve what was sent.
 */
export function parseArgsText(text: string): ParsedArgs {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { ok: false, problem: `the arguments are not JSON: ${(error as Error).message}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'the arguments are not a JSON object' }
  }
  for (const token of numbersIn(text)) {
    if (!isExact(token)) {
      return { ok: false, problem: `the number ${token} cannot be held exactly; send it as a string` }
    }
  }
  const problem = jsonProblem(value)
  return problem ? { ok: false, problem } : { ok: true, args: value as JsonObject }
}

/** The numbers of a JSON text as they are written. Strings are skipped without a regular expression, whose stack a long one can exhaust. */
function* numbersIn(text: string): Generator<string> {
  const start = /["\d-]/g
  for (let found = start.exec(text); found; found = start.exec(text)) {
    if (found[0] === '"') start.lastIndex = endOfString(text, found.index)
    else {
      const end = endOfNumber(text, found.index)
      yield text.slice(found.index, end)
      start.lastIndex = end
    }
  }
}

/** The position after the string that begins here. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0
    while (text[quote - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return quote + 1
  }
  return text.length
}

/** The position after the number that begins here. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && '0123456789.eE+-'.includes(text[end]!)) end += 1
  return end
}

function isExact(token: string): boolean {
  const number = Number(token)
  return Number.isFinite(number) && !Object.is(number, -0) && decimal(token) === decimal(String(number))
}

/** Normalises a number for comparison: digits without sign, point, leading or trailing zeros, and the power of ten. */
function decimal(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`
}
