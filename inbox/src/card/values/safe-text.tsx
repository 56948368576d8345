import { Fragment } from 'react'
import { type TextPiece, textPieces } from '../../../../src/core/display/text-pieces.ts'
import { useInboxWords, type Words } from '../../i18n/i18n.tsx'

/** Tags look like the page's own. */
const TAG = /(<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>)/i

interface SafeTextProps {
  text: string
  /** Code keeps its tags unmarked. */
  code?: boolean
}

/** Text from outside: never markup, always left to right, and whatever cannot be seen becomes a mark. */
export function SafeText({ text, code = false }: SafeTextProps) {
  const { card } = useInboxWords()
  // Split by a group: every second part is a tag.
  const parts = code ? [text] : text.split(TAG)
  return (
    <bdi className="outside-text" dir="ltr" translate="no">
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          <Marked key={at} text={part} />
        ) : (
          <span key={at} className="markup" title={card.markup}>
            <Marked text={part} />
          </span>
        ),
      )}
    </bdi>
  )
}

function Marked({ text }: { text: string }) {
  const { card } = useInboxWords()
  return textPieces(text).map((piece, at) => <Fragment key={at}>{shownAs(piece, card)}</Fragment>)
}

function shownAs(piece: TextPiece, { lineBreaks }: Words['card']) {
  if (typeof piece === 'string') return piece
  if ('lineEnds' in piece) return <span className="mark mark-gap">{lineBreaks(piece.lineEnds)}</span>
  return (
    <span className="mark" title={piece.code}>
      {piece.mark}
    </span>
  )
}

/** A name or an address as code. */
export function SafeCode({ text }: { text: string }) {
  return (
    <code>
      <SafeText text={text} />
    </code>
  )
}
