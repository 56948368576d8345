import { type Mark, toAtoms } from './hidden.ts'

/** A piece of text: as it is, a character that cannot be seen, or a run of line ends that pushes text out of sight. */
export type TextPiece = string | Mark | { readonly lineEnds: number }

/** Four line ends or more, with blanks between them. */
const GAP = /(\n(?:[^\S\n]*\n){3,})/
/** Most text has nothing to mark: printable ASCII, Latin letters and common punctuation. */
const PLAIN = /^[\n\t -~¡-¬®-ɏ‐-‧€]*$/

/** Splits text from outside into what a page shows of it. Neighbouring characters are one piece. */
export function textPieces(text: string): TextPiece[] {
  const parts = text.replaceAll('\r\n', '\n').split(GAP)
  // Split by a group: every second part is a gap.
  return parts.flatMap((part, at) => (at % 2 === 1 ? [{ lineEnds: part.split('\n').length - 1 }] : marked(part)))
}

function marked(text: string): TextPiece[] {
  if (PLAIN.test(text)) return text === '' ? [] : [text]
  const pieces: TextPiece[] = []
  for (const atom of toAtoms(text, layout)) {
    const last = pieces.at(-1)
    if (typeof atom === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + atom
    else pieces.push(atom)
  }
  return pieces
}

/** Line ends, tabs and wide blanks are left to the layout: they hide nothing. */
function layout(character: string): string | undefined {
  return /[\n\t]|\p{Zs}/u.test(character) ? character : undefined
}
