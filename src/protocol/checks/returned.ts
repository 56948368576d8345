/** A short description of a value that custom code returned, for error messages. Never throws. */
export function tellReturned(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`
    case 'undefined':
      return 'undefined'
    case 'function':
      return 'a function'
    case 'symbol':
      return 'a symbol'
    case 'object':
      return value === null ? 'null' : tellObject(value)
    default:
      return String(value)
  }
}

function tellObject(value: object): string {
  if (Array.isArray(value)) return 'an array'
  const keys = Object.keys(value)
  return keys.length === 0
    ? 'an object without keys'
    : `{ ${keys.slice(0, 8).join(', ')}${keys.length > 8 ? ', …' : ''} }`
}

/** Whether custom code returned an object, not an array, `null` or anything else. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Describes an unknown key of an object that custom code returned. An ignored key could be a restriction without
 * effect.
 */
export function keyProblem(value: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown === undefined) return undefined
  const meant = known.find((key) => isNear(unknown, key))
  if (meant !== undefined) return `"${unknown}" is called ${meant}`
  return known.length === 0 ? `"${unknown}"` : `"${unknown}"; there are ${known.join(', ')}`
}

/** Whether a key is a likely misspelling: `allowed_decisions` for `allowedDecisions`, `reviewer` for `reviewers`. */
function isNear(given: string, known: string): boolean {
  const [a, b] = [given, known].map((key) => key.toLowerCase().replace(/[^a-z0-9]/g, '')) as [string, string]
  if (a === '' || b === '') return false
  return a === b || ((a.startsWith(b) || b.startsWith(a)) && Math.abs(a.length - b.length) <= 2)
}
