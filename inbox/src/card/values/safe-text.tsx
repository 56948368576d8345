import { Fragment, type ReactNode } from 'react'
import { toAtoms } from '../../../../src/core/display/hidden.ts'
import { useInboxWords } from '../../i18n/i18n.tsx'

/** Many empty lines push text out of sight; tags look like the page's own. Both are shown for what they are. */
const SPECIAL = /(\n(?:[^\S\n]*\n){3,})|(<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>)/gi

interface SafeTextProps {
  text: string
  /** Code keeps its tags unmarked. */
  code?: boolean
}

/** Text from outside: never markup, always left to right, and whatever cannot be seen becomes a mark. */
export function SafeText({ text, code = false }: SafeTextProps) {
  const { card } = useInboxWords()
  const pieces: ReactNode[] = []
  let at = 0
  for (const found of text.matchAll(SPECIAL)) {
    const [whole, gap] = found
    if (gap === undefined && code) continue
    pieces.push(<Marked key={at} text={text.slice(at, found.index)} />)
    at = found.index + whole.length
    pieces.push(
      gap === undefined ? (
        <span key={`m${found.index}`} className="markup" title={card.markup}>
          <Marked text={whole} />
        </span>
      ) : (
        <span key={`g${found.index}`} className="mark mark-gap">
          {card.lineBreaks(gap.split('\n').length - 1)}
        </span>
      ),
    )
  }
  return (
    <bdi className="outside-text" dir="ltr" translate="no">
      {pieces}
      <Marked text={text.slice(at)} />
    </bdi>
  )
}

/** Line ends and tabs are left to the layout, and so are wide blanks, which hide nothing. */
const kept = (character: string) => (/[\n\t]|\p{Zs}/u.test(character) ? character : undefined)

/** Most text has nothing to mark: printable ASCII, Latin letters and common punctuation. */
const PLAIN = /^[\n\t -~¡-¬®-ɏ‐-‧€]*$/

function Marked({ text }: { text: string }) {
  if (PLAIN.test(text)) return text
  return <WithMarks text={text} />
}

function WithMarks({ text }: { text: string }) {
  const pieces: ReactNode[] = []
  let plain = ''
  for (const atom of toAtoms(text.replaceAll('\r\n', '\n'), kept)) {
    if (typeof atom === 'string') {
      plain += atom
      continue
    }
    pieces.push(
      <Fragment key={pieces.length}>
        {plain}
        <span className="mark" title={atom.code}>
          {atom.mark}
        </span>
      </Fragment>,
    )
    plain = ''
  }
  return (
    <>
      {pieces}
      {plain}
    </>
  )
}
