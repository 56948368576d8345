/**
 * Text from outside, made harmless for a terminal: whatever cannot be seen, moves the cursor or turns the direction of writing is shown by
 * its code point instead (`‹U+202E›`). Everything here works on *atoms*: the smallest pieces that are shown whole.
 */

// Controls, formats, unassigned and private characters; line separators; what is drawn as nothing; blanks other than the space.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
const MARK = /\p{M}/u
const MAX_MARKS = 4

/** Splits a string into atoms. Accents stay with their letter, up to four of them. */
function toAtoms(text: string, replace: (character: string) => string | undefined = () => undefined): string[] {
  const atoms: string[] = []
  let marks = MAX_MARKS
  let previous = ''
  for (const character of text) {
    const isMark = MARK.test(character)
    const escaped = replace(character) ?? (HIDDEN.test(character) ? codePoint(character) : undefined)
    if (escaped !== undefined) atoms.push(escaped)
    else if (isMark && marks >= MAX_MARKS) atoms.push(codePoint(character))
    else if (isMark) atoms[atoms.length - 1] += character
    // A string that looks like one of our marks must not pass for one.
    else if (character === 'U' && previous === '‹') atoms.splice(-1, 1, codePoint('‹'), character)
    else atoms.push(character)
    if (isMark) marks += 1
    else marks = escaped === undefined ? 0 : MAX_MARKS
    previous = character
  }
  return atoms
}

function codePoint(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`
}

/** A string on one line with nothing hidden in it. */
export function visible(text: string): string {
  return toVisibleAtoms(text).join('')
}

/** The atoms of {@link visible}. */
export function toVisibleAtoms(text: string): string[] {
  return toAtoms(text, (character) => LINE_ESCAPES[character])
}

const LINE_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const QUOTED_ESCAPES: Readonly<Record<string, string>> = { ...LINE_ESCAPES, '"': '\\"', '\\': '\\\\' }

/** The atoms of a string inside quotes: quotes, backslashes and line ends are escaped as in JSON. */
export function toQuotedAtoms(text: string): string[] {
  return toAtoms(text, (character) => QUOTED_ESCAPES[character])
}

/** A quoted string on one line. */
export function quoted(text: string): string {
  return `"${toQuotedAtoms(text).join('')}"`
}

/** JSON that is safe to print: still the same JSON, with everything hidden written as an escape. */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  return text.replace(new RegExp(HIDDEN, 'gu'), (character) => {
    if (character === '\n') return character
    return [...character.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  })
}
