import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isWellFormed, type JsonValue } from './json.ts'

/** The RFC 8785 form of a plain JSON value: one text for equal values, whatever the order of their keys. */
export function canonicalJson(value: JsonValue): string {
  return isCanonical(value) ? JSON.stringify(value) : (canonicalize(value) as string)
}

/** Whether writing a value as it stands gives its canonical form: the keys of every object are in order, and nothing in it is refused. */
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

/** SHA-256 of a text or bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** HMAC-SHA-256 of a text, in hexadecimal. */
export function hmacSha256(secret: string, data: string): string {
  return createHmac('sha256', secret).update(data).digest('hex')
}

/** Compares two hexadecimal MACs without telling by its duration where they differ. */
export function macEqual(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
