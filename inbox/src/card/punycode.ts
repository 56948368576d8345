const BASE = 36
const TMIN = 1
const TMAX = 26
const SKEW = 38
const DAMP = 700

/** How a reader would see the host of an address that is written in Punycode. `undefined`: it is not. */
export function punycodeReading(url: string): string | undefined {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/:?#]+)/i.exec(url)?.[1] ?? ''
  if (!/(^|\.)xn--/i.test(host)) return undefined
  try {
    return host
      .split('.')
      .map((label) => (/^xn--/i.test(label) ? decode(label.slice(4).toLowerCase()) : label))
      .join('.')
  } catch {
    return undefined
  }
}

/** RFC 3492, section 6.2. */
function decode(input: string): string {
  const basic = input.lastIndexOf('-')
  const output = basic > 0 ? [...input.slice(0, basic)].map((character) => character.charCodeAt(0)) : []
  let n = 128
  let i = 0
  let bias = 72
  for (let at = basic > 0 ? basic + 1 : 0; at < input.length; ) {
    const before = i
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(input.charCodeAt(at++))
      i += digit * weight
      const threshold = Math.min(TMAX, Math.max(TMIN, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = output.length + 1
    bias = adapt(i - before, length, before === 0)
    n += Math.floor(i / length)
    i %= length
    output.splice(i++, 0, n)
  }
  return String.fromCodePoint(...output)
}

function digitOf(code: number): number {
  if (code >= 97 && code <= 122) return code - 97
  if (code >= 48 && code <= 57) return code - 22
  throw new RangeError('not Punycode')
}

function adapt(delta: number, length: number, first: boolean): number {
  let left = first ? Math.floor(delta / DAMP) : delta >> 1
  left += Math.floor(left / length)
  let k = 0
  for (; left > ((BASE - TMIN) * TMAX) >> 1; k += BASE) left = Math.floor(left / (BASE - TMIN))
  return k + Math.floor(((BASE - TMIN + 1) * left) / (left + SKEW))
}
