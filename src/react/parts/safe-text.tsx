import { Fragment, type ReactNode, useState } from 'react'
import { toAtoms } from '../../core/display/hidden.ts'
import type { PartProps } from './part-props.ts'
import { type PartWords, usePartWords } from './words.tsx'

/** What `SafeText` takes. */
export interface SafeTextProps extends PartProps {
  text: string
  /** Longer text is folded after so many characters. Default 240. `Infinity` never folds. */
  fold?: number
}

/** Four line ends or more push text out of sight. */
const GAP = /(\n(?:[^\S\n]*\n){3,})/

/**
 * Text from outside: never markup, always left to right. Characters that cannot be seen or that change the direction of writing become marks
 * (`data-mark`), heaps of line ends become their number (`data-gap`), and long text is folded with its length.
 */
export function SafeText({ text, fold = 240, className }: SafeTextProps): ReactNode {
  const words = usePartWords()
  const [open, setOpen] = useState(false)
  const characters = [...text]
  const folds = characters.length > fold
  const shown = folds && !open ? `${characters.slice(0, fold).join('')}…` : text
  return (
    <>
      <bdi dir="ltr" translate="no" className={className} data-part="text">
        {piecesOf(shown, words)}
      </bdi>
      {folds && (
        <button type="button" data-part="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.showLess : words.showAll(characters.length)}
        </button>
      )}
    </>
  )
}

function piecesOf(text: string, words: PartWords): ReactNode[] {
  const pieces: ReactNode[] = []
  for (const piece of text.replaceAll('\r\n', '\n').split(GAP)) {
    // Split by a group: every second piece is a gap.
    const gap = pieces.length % 2 === 1
    pieces.push(
      <Fragment key={pieces.length}>
        {gap ? <span data-gap="">{words.lineBreaks(piece.split('\n').length - 1)}</span> : marksOf(piece)}
      </Fragment>,
    )
  }
  return pieces
}

/** Line ends, tabs and wide blanks are left to the layout: they hide nothing. */
function layout(character: string): string | undefined {
  return /[\n\t]|\p{Zs}/u.test(character) ? character : undefined
}

function marksOf(text: string): ReactNode[] {
  const pieces: ReactNode[] = []
  let plain = ''
  for (const atom of toAtoms(text, layout)) {
    if (typeof atom === 'string') {
      plain += atom
      continue
    }
    pieces.push(
      plain,
      <span key={pieces.length} data-mark={atom.code} title={atom.code}>
        {atom.mark}
      </span>,
    )
    plain = ''
  }
  return [...pieces, plain]
}
