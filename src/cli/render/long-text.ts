import type { Style } from './style.ts'
import { toQuotedAtoms } from './visible.ts'
import { widthOf } from './width.ts'

/** How a value is laid out. */
export interface Layout {
  readonly style: Style
  /** Columns that may be used. */
  readonly width: number
  /** Shorten nothing. */
  readonly full: boolean
}

const FOLD_ATOMS = 600
const FOLD_LINES = 12
const HEAD_LINES = 6
const TAIL_LINES = 3
/** Enough for the head and the tail of a folded text, whatever the width. */
const HEAD_ATOMS = 400
const TAIL_ATOMS = 160

/**
 * A quoted string on as many lines as it takes. Lines are broken here and not by the terminal, and every further line starts with a gutter, so
 * that no string can pass for a line of ours. If the middle is folded, a line says so, with the length of the whole.
 */
export function quotedLines(text: string, layout: Layout): string[] {
  const atoms = toQuotedAtoms(text)
  const width = Math.max(20, layout.width - 2)
  const lines = wrap(['"', ...atoms, '"'], width)
  const gutter = layout.style.dim('│ ')
  const hang = (line: string, index: number) => (index === 0 ? line : `${gutter}${line}`)
  if (layout.full || (atoms.length <= FOLD_ATOMS && lines.length <= FOLD_LINES)) return lines.map(hang)
  const head = wrap(['"', ...atoms.slice(0, HEAD_ATOMS)], width).slice(0, HEAD_LINES)
  const tail = wrap([...atoms.slice(-TAIL_ATOMS), '"'], width).slice(-TAIL_LINES)
  const gap = layout.style.accent(`⋮ ${count(text)} in all; the middle is folded, --full shows it`)
  return [...head.map(hang), gap, ...tail.map((line) => `${gutter}${line}`)]
}

/** A quoted string on one line. If it is long, its end is folded. */
export function quotedBrief(text: string, limit: number): string {
  const atoms = toQuotedAtoms(text)
  if (atoms.length <= limit) return `"${atoms.join('')}"`
  return `"${atoms.slice(0, limit - 8).join('')}"… (${count(text)})`
}

function count(text: string): string {
  return `${[...text].length.toLocaleString('en')} characters`
}

/** Lines break at a space if there is one in their second half, and after each line end of the text. */
function wrap(atoms: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line: string[] = []
  for (const [index, atom] of atoms.entries()) {
    const closing = index === atoms.length - 1 && atom === '"'
    if (line.length > 0 && !closing && widthOf(line.join('')) + widthOf(atom) > width) {
      const space = line.lastIndexOf(' ') + 1
      const at = space > line.length / 2 ? space : line.length
      lines.push(line.slice(0, at).join(''))
      line = line.slice(at)
    }
    line.push(atom)
    if (atom === '\\n' && index < atoms.length - 2) {
      lines.push(line.join(''))
      line = []
    }
  }
  if (line.length > 0) lines.push(line.join(''))
  return lines
}
