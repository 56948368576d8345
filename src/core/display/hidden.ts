/**
 * Text from outside, made harmless: whatever cannot be seen, moves the cursor or turns the direction of writing becomes a mark with a name
 * (`RLO`) or its code point (`U+001B`). Everything here works on *atoms*: the smallest pieces that are shown whole.
 */

/** A character that is shown by its name. */
export interface Mark {
  /** Its usual abbreviation, such as `RLO`, else its code point. */
  readonly mark: string
  /** Its code point, such as `U+202E`. */
  readonly code: string
}

/** A piece of text that can be shown as it is, or a mark. */
export type Atom = string | Mark

// Controls, formats, unassigned and private characters; line separators; what is drawn as nothing; blanks other than the space.
/** A character that cannot be seen, or that changes how others are shown. */
export const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
// Blanks that people type: they are marked where it matters, but nobody hides text with them.
const BLANK = /[\n\r\t]|\p{Zs}/u
const COMBINING = /\p{M}/u
const MAX_COMBINING = 4
// Emoji are made with joiners and selectors. Only the sequences that Unicode lists are emoji; others may carry data that nobody sees.
// Compiling the list takes 15 ms, which a process that shows nothing does not spend.
// biome-ignore lint/complexity/useRegexLiterals: TypeScript takes the flag v in a literal only for a newer target
const makeEmoji = (): RegExp => new RegExp('^\\p{RGI_Emoji}', 'v')
let madeEmoji: RegExp | undefined
const EMOJI_START = /[\d#*]|\p{Emoji_Presentation}|\p{Extended_Pictographic}/u
const LONGEST_EMOJI = 40

const NAMES: Readonly<Record<string, string>> = {
  '\u00ad': 'SHY',
  '\u061c': 'ALM',
  '\u200b': 'ZWSP',
  '\u200c': 'ZWNJ',
  '\u200d': 'ZWJ',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
}

/** Splits a string into atoms. Accents stay with their letter, up to four of them. `replace` says what is written otherwise, such as line ends. */
export function toAtoms(text: string, replace: (character: string) => string | undefined = () => undefined): Atom[] {
  const atoms: Atom[] = []
  let combined = MAX_COMBINING
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const emoji = EMOJI_START.test(character) ? emojiAt(text, at) : undefined
    const replaced = emoji ?? replace(character)
    const last = atoms.at(-1)
    const isCombining = COMBINING.test(character)
    if (replaced !== undefined) atoms.push(replaced)
    else if (HIDDEN.test(character) || (isCombining && combined >= MAX_COMBINING)) atoms.push(markOf(character))
    else if (isCombining && typeof last === 'string') atoms[atoms.length - 1] = last + character
    else atoms.push(character)
    if (isCombining) combined += 1
    else combined = replaced === undefined && typeof atoms.at(-1) === 'string' ? 0 : MAX_COMBINING
    at += emoji?.length ?? character.length
  }
  return atoms
}

/** The emoji at a place. */
function emojiAt(text: string, at: number): string | undefined {
  madeEmoji ??= makeEmoji()
  return madeEmoji.exec(text.slice(at, at + LONGEST_EMOJI))?.[0]
}

function markOf(character: string): Mark {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return { mark: NAMES[character] ?? code, code }
}

/** How many characters of a string are hidden or change its direction. Line ends, tabs and wide blanks do not count. */
export function hiddenIn(text: string): number {
  return toAtoms(text, (character) => (BLANK.test(character) ? ' ' : undefined)).filter(
    (atom) => typeof atom !== 'string',
  ).length
}

/** How many hidden or direction-changing characters a value has, keys included. */
export function hiddenCount(value: unknown): number {
  if (typeof value === 'string') return hiddenIn(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [key, inner]) => sum + hiddenIn(key) + hiddenCount(inner), 0)
}
