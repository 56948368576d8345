/** What `\s` is in ECMAScript: RE2's is ASCII without the vertical tab. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const ANY = '\\x{0}-\\x{10ffff}'
const CONTROLS: Readonly<Record<string, string>> = { t: '\\t', n: '\\n', v: '\\v', f: '\\f', r: '\\r', 0: '\\x{0}' }
/** Categories that both spell alike. Scripts and binary properties differ in name, and by Unicode version. */
const CATEGORY = /^\{(?:L|Lu|Ll|Lt|Lm|Lo|M|Mn|Mc|Me|N|Nd|Nl|No|P|Pc|Pd|Ps|Pe|Pi|Pf|Po|S|Sm|Sc|Sk|So|Z|Zs|Zl|Zp)\}/

/**
 * Translates an ECMAScript regular expression to RE2, so that it matches the same strings. `undefined` if that is not certain: look-around and
 * back-references have no linear-time form, and rarer syntax is left to the native engine.
 */
export function toRe2(pattern: string): string | undefined {
  let out = ''
  for (let rest = pattern; rest !== ''; ) {
    const part = rest[0] === '[' ? readClass(rest) : readAtom(rest)
    if (!part) return undefined
    out += part.text
    rest = rest.slice(part.length)
  }
  return out
}

interface Part {
  text: string
  /** How much of the source it covers. */
  length: number
}

function readAtom(rest: string): Part | undefined {
  const [first = ''] = rest
  if (first === '\\') return readEscape(rest)
  if (first === '.') return { text: '[^\\n\\r\\x{2028}\\x{2029}]', length: 1 }
  if (first === '(') {
    const [opening = ''] = /^\((?:\?(?::|<[A-Za-z_]\w*>))?/.exec(rest) ?? []
    // Look-around, flags and whatever else may follow a question mark.
    if (rest[opening.length] === '?' && opening === '(') return undefined
    return { text: opening.endsWith('>') ? '(' : opening, length: opening.length }
  }
  if (first === '{' || first === '}' || first === ']') {
    const [counts] = /^\{\d+(?:,\d*)?\}/.exec(rest) ?? []
    return counts === undefined ? undefined : { text: counts, length: counts.length }
  }
  return { text: first, length: first.length }
}

function readEscape(rest: string): Part | undefined {
  const [, kind = ''] = rest
  if (kind === 's') return { text: `[${SPACE}]`, length: 2 }
  if (kind === 'S') return { text: `[${NOT_SPACE}]`, length: 2 }
  if (kind === 'b' || kind === 'B') return { text: `\\${kind}`, length: 2 }
  return readSharedEscape(rest)
}

/** Escapes that are the same inside and outside of brackets. */
function readSharedEscape(rest: string): Part | undefined {
  const [, kind = ''] = rest
  if ('dDwW'.includes(kind) && kind !== '') return { text: `\\${kind}`, length: 2 }
  if (kind === 'p' || kind === 'P') {
    const [category] = CATEGORY.exec(rest.slice(2)) ?? []
    return category === undefined ? undefined : { text: `\\${kind}${category}`, length: 2 + category.length }
  }
  return readCharacter(rest)
}

const CODE =
  /^\\(?:x([0-9A-Fa-f]{2})|u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|c([A-Za-z]))/i

function readCharacter(rest: string): Part | undefined {
  const [, kind = ''] = rest
  const code = CODE.exec(rest)
  if (code) {
    const [all, byte, high, low, unit, point, control] = code
    const value = control
      ? control.charCodeAt(0) % 32
      : high && low
        ? ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00) + 0x10000
        : Number.parseInt(byte ?? unit ?? point ?? '', 16)
    const isCharacter = value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)
    return isCharacter ? { text: `\\x{${value.toString(16)}}`, length: all.length } : undefined
  }
  if (kind === '0' && /\d/.test(rest[2] ?? '')) return undefined
  const control = CONTROLS[kind]
  if (control !== undefined) return { text: control, length: 2 }
  // Letters and digits have meanings of their own: back-references, and what is not known here.
  return kind !== '' && /[!-/:-@[-`{-~]/.test(kind) ? { text: `\\${kind}`, length: 2 } : undefined
}

function readClass(source: string): Part | undefined {
  const isNegated = source[1] === '^'
  let at = isNegated ? 2 : 1
  let inside = ''
  while (source[at] !== ']') {
    const part = readClassMember(source.slice(at))
    if (!part) return undefined
    inside += part.text
    at += part.length
  }
  const length = at + 1
  if (inside === '') return { text: isNegated ? `[${ANY}]` : `[^${ANY}]`, length }
  return { text: `[${isNegated ? '^' : ''}${inside}]`, length }
}

function readClassMember(rest: string): Part | undefined {
  const [first, second] = rest
  if (first === undefined) return undefined
  if (first !== '\\') return { text: '[&~^'.includes(first) ? `\\${first}` : first, length: first.length }
  if (second === 's') return { text: SPACE, length: 2 }
  if (second === 'S') return { text: NOT_SPACE, length: 2 }
  if (second === 'b') return { text: '\\x{8}', length: 2 }
  return readSharedEscape(rest)
}
