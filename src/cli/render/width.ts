import { visible } from './visible.ts'

// Ideographs, kana, Hangul, full-width forms and emoji take two columns. An approximation: it only decides where lines are broken.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const MARK = /\p{M}/u

/** How many columns of a terminal a string takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Atoms on lines of at most so many columns. */
export function wrapAtoms(atoms: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const atom of atoms) {
    const size = widthOf(atom)
    if (used + size > width && used > 0) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += atom
    used += size
  }
  return [...lines, line]
}

const NARROWEST = 20

/**
 * Text on lines of at most so many columns, broken at spaces. Spaces inside of a line stay as they are, a line break counts as a space. A word that
 * is longer than a line stays whole. An array is taken as words that must not be broken.
 */
export function wrapWords(text: string | readonly string[], width: number): string[] {
  const words =
    typeof text === 'string' ? (text.replaceAll('\n', ' ').match(/ *\S+ */g) ?? ['']) : text.map((word) => `${word} `)
  const limit = Math.max(NARROWEST, width)
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + widthOf(word.trimEnd()) <= limit) lines[lines.length - 1] = last + word
    else lines.push(word)
  }
  return lines.map((line) => line.trimEnd())
}

/** Text with nothing hidden in it on lines of at most so many columns: broken at spaces, inside of words only where one is too long. */
export function wrapVisible(text: string, width: number): string[] {
  return wrapWords(visible(text), width).flatMap((line) => wrapAtoms([...line], Math.max(NARROWEST, width)))
}

/** A line of ours under another one: set in, and set in further where it goes on. */
export function hanging(text: string, width: number): string[] {
  return wrapWords(text, width - 4).map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`))
}

/** A string padded with spaces to a width. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}
