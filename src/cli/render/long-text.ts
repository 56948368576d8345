import type { Style } from './style.ts'
import { toQuotedAtoms } from './visible.ts'
import { widthOf } from './width.ts'

/** What a value is laid out in. */
export interface Layout {
  readonly style: Style
  /** Columns that may be used. */
  readonly width: number
  /** Fold nothing. */
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
 * A text in quotes on as many lines as it takes. Lines are broken here and not by the terminal, and every further line starts with a
 * gutter, so that no text can pretend to be a line of ours. What is folded away is said, with the length of the whole.
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

/** A text in quotes in one line, its end folded away if it is long. */
export function quotedBrief(text: string, limit: number): string {
  const atoms = toQuotedAtoms(text)
  if (atoms.length <= limit) return `"${atoms.join('')}"`
  return `"${atoms.slice(0, limit - 8).join('')}"… (${count(text)})`
}

function count(text: string): string {
  return `${[...text].length.toLocaleString('en')} characters`
}

function wrap(atoms: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const [index, atom] of atoms.entries()) {
    const size = widthOf(atom)
    const closing = index === atoms.length - 1 && atom === '"'
    if (used + size > width && used > 0 && !closing) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += atom
    used += size
    if (atom === '\\n' && index < atoms.length - 2) {
      lines.push(line)
      line = ''
      used = 0
    }
  }
  if (line !== '') lines.push(line)
  return lines
}
