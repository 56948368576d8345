import { Fragment, type ReactNode, useState } from 'react'
import { type TextPiece, textPieces } from '../../core/display/text-pieces.ts'
import type { PartProps } from './part-props.ts'
import { type PartWords, usePartWords } from './words.tsx'

/** What `SafeText` takes. */
export interface SafeTextProps extends PartProps {
  text: string
  /** Longer text is folded after so many characters. Default 240. `Infinity` never folds. */
  fold?: number
}

/**
 * Text from outside: never markup, always left to right. Characters that cannot be seen or that change the direction of writing become marks
 * (`data-mark`), runs of line ends become their number (`data-gap`), and long text is folded with its length.
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
        {textPieces(shown).map((piece, at) => (
          <Fragment key={at}>{shownAs(piece, words)}</Fragment>
        ))}
      </bdi>
      {folds && (
        <button type="button" data-part="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.showLess : words.showAll(characters.length)}
        </button>
      )}
    </>
  )
}

function shownAs(piece: TextPiece, words: PartWords): ReactNode {
  if (typeof piece === 'string') return piece
  if ('lineEnds' in piece) return <span data-gap="">{words.lineBreaks(piece.lineEnds)}</span>
  return (
    <span data-mark={piece.code} title={piece.code}>
      {piece.mark}
    </span>
  )
}
