import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isWellFormed, type JsonValue } from './json.ts'

/** The RFC 8785 form of a plain JSON value: equal values give the same string, whatever the order of their keys. */
export function canonicalJson(value: JsonValue): string {
  return isCanonical(value) ? JSON.stringify(value) : (canonicalize(value) as string)
}

/** Whether `JSON.stringify` already gives the canonical form: all keys are sorted, and no value is refused. */
function isCanonical(value: JsonValue): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value)
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return true
    case 'object': {
      if (value === null) return true
      if (Array.isArray(value)) return value.every(isCanonical)
      let last = ''
      for (const key of Object.keys(value)) {
        if (key < last || !isWellFormed(key) || !isCanonical(value[key]!)) return false
        last = key
      }
      return true
    }
    default:
      return false
  }
}

/** SHA-256 of a string or bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** HMAC-SHA-256 of a string, in hexadecimal. */
export function hmacSha256(secret: string, data: string): string {
  return createHmac('sha256', secret).update(data).digest('hex')
}

/** Compares two hexadecimal MACs in constant time. */
export function macEqual(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
