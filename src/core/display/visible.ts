import { type Atom, toAtoms } from './hidden.ts'

/** A string on one line with nothing hidden in it: hidden characters are written as `‹RLO›` or `‹U+001B›`. */
export function visible(text: string): string {
  return toVisibleAtoms(text).join('')
}

/** The atoms of {@link visible}. */
export function toVisibleAtoms(text: string): string[] {
  return toAtoms(text, (character) => LINE_ESCAPES[character]).map(inLine)
}

const LINE_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const QUOTED_ESCAPES: Readonly<Record<string, string>> = { ...LINE_ESCAPES, '"': '\\"', '\\': '\\\\' }

/** The atoms of a string inside quotes: quotes, backslashes and line ends are escaped as in JSON. */
export function toQuotedAtoms(text: string): string[] {
  return toAtoms(text, (character) => QUOTED_ESCAPES[character]).map(inLine)
}

/** A quoted string on one line. */
export function quoted(text: string): string {
  return `"${toQuotedAtoms(text).join('')}"`
}

const CAPITAL = /^[A-Z]/

function inLine(atom: Atom, index: number, atoms: readonly Atom[]): string {
  if (typeof atom !== 'string') return `‹${atom.mark}›`
  // A string that looks like one of our marks must not pass for one.
  const next = atoms[index + 1]
  return atom === '‹' && typeof next === 'string' && CAPITAL.test(next) ? '‹U+2039›' : atom
}

/** `visible`, cut after so many atoms. What was cut off is told by the length of the whole. */
export function visibleBrief(text: string, limit: number): string {
  const atoms = toVisibleAtoms(text)
  if (atoms.length <= limit) return atoms.join('')
  return `${atoms.slice(0, limit).join('').trimEnd()}… (${[...text].length.toLocaleString('en')} characters)`
}
