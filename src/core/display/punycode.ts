/** Labels of host names that are written in ASCII and mean other letters (RFC 3492). */
const LABEL = /\bxn--([a-z\d-]+)/gi

const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const FIRST_BIAS = 72
const FIRST_CODE = 128
const LAST_CODE = 0x10ffff

/** How a string reads with its punycode decoded: `xn--pypal-4ve.com` is `pаypal.com` with a Cyrillic letter. `undefined`: it has none. */
export function punycodeReading(text: string): string | undefined {
  const read = text.replace(LABEL, (label, encoded: string) => decode(encoded.toLowerCase()) ?? label)
  return read === text ? undefined : read
}

/** The letters of several scripts that look alike in one word: `pаypal` with a Cyrillic letter. Names the scripts. */
export function mixedScripts(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}\d-]+/gu) ?? []
  const mixed = words
    .map((word) => SCRIPTS.filter(([, letters]) => letters.test(word)))
    .find((found) => found.length > 1)
  return mixed?.map(([name]) => name) ?? []
}

const SCRIPTS: readonly [name: string, letters: RegExp][] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Armenian', /\p{Script=Armenian}/u],
]

function decode(encoded: string): string | undefined {
  const split = encoded.lastIndexOf('-')
  const output = split > 0 ? [...encoded.slice(0, split)] : []
  let [code, bias, index] = [FIRST_CODE, FIRST_BIAS, 0]
  for (let at = split > 0 ? split + 1 : 0; at < encoded.length; ) {
    const before = index
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charAt(at++))
      if (digit === undefined) return undefined
      index += digit * weight
      const threshold = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const size = output.length + 1
    bias = adapt(index - before, size, before === 0)
    code += Math.floor(index / size)
    index %= size
    if (code > LAST_CODE || (code >= 0xd800 && code <= 0xdfff)) return undefined
    output.splice(index++, 0, String.fromCodePoint(code))
  }
  return output.join('')
}

function digitOf(character: string): number | undefined {
  const value = Number.parseInt(character, BASE)
  // Letters are 0 to 25, digits 26 to 35.
  return Number.isNaN(value) ? undefined : value >= 10 ? value - 10 : value + 26
}

function adapt(given: number, size: number, isFirst: boolean): number {
  let delta = isFirst ? Math.floor(given / DAMP) : given >> 1
  delta += Math.floor(delta / size)
  let k = 0
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW))
}
