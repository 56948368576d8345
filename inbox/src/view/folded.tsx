import { useState } from 'react'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'

const LIMIT = 400

/** Text from outside. What is long shows its beginning and its length. */
export function Folded({ text }: { text: string }) {
  const { card } = useInboxWords()
  const format = useFormat()
  const [open, setOpen] = useState(false)
  const characters = [...text]
  const folds = characters.length > LIMIT
  return (
    <>
      <span className="wrap">
        <SafeText text={folds && !open ? `${characters.slice(0, LIMIT).join('')}…` : text} />
      </span>
      {folds && (
        <button type="button" className="link fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? card.showLess : card.showAll(format.number(characters.length))}
        </button>
      )}
    </>
  )
}
