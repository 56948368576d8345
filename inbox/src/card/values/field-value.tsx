import type { DisplayField } from 'holdpoint/client'
import { useState } from 'react'
import { formatField } from '../../../../src/core/display/format.ts'
import { valueAt } from '../../../../src/core/display/value-at.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json/json.ts'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Icon } from '../../shell/icon.tsx'
import { Code } from './code.tsx'
import { SafeText } from './safe-text.tsx'

/** Longer text is folded. */
const LONG = 280
const FOLDED = 240
const ITEMS = 20

interface FieldValueProps {
  field: DisplayField
  args: JsonObject
}

/** One argument, by its format. Nothing of it is markup, a link or an image. */
export function FieldValue({ field, args }: FieldValueProps) {
  const { card } = useInboxWords()
  const { locale } = useFormat()
  const value = valueAt(args, field.path)
  if (value === undefined) return <span className="value-none">{card.absent}</span>
  if (value === null) return <span className="value-none">{card.isNull}</span>
  if (value === '') return <span className="value-none">{card.emptyText}</span>
  if (field.format === 'secret') return <Secret value={value} />
  if (Array.isArray(value)) return <List items={value} mono={isMono(field.format)} />
  if (typeof value === 'object') return <Code text={JSON.stringify(value, undefined, 2)} language="json" />
  if (typeof value === 'boolean') return <span>{value ? card.yes : card.no}</span>
  const text = formatField(field, args, { locale }) ?? String(value)
  return <Text text={text} raw={String(value)} format={field.format} />
}

const isMono = (format: DisplayField['format']) => ['email', 'path', 'url', 'id', 'code', 'sql'].includes(format)

function Text({ text, raw, format }: { text: string; raw: string; format: DisplayField['format'] }) {
  switch (format) {
    case 'money':
      return (
        <span className="value-money num">
          <SafeText text={text} />
        </span>
      )
    case 'email':
    case 'path':
    case 'id':
      return (
        <span className="mono num">
          <SafeText text={raw} />
        </span>
      )
    case 'url':
      return <Url text={raw} />
    case 'enum':
      return (
        <span className="value-enum">
          <SafeText text={raw} />
        </span>
      )
    case 'date':
      return <When text={raw} />
    case 'sql':
      return <Code text={raw} language="sql" />
    case 'code':
    case 'json':
      return <Code text={raw} language="plain" />
    case 'number':
      return <span className="num">{text}</span>
    case 'flag':
    case 'secret':
    case 'list':
    case 'text':
      return <LongText text={raw} />
    default:
      return format satisfies never
  }
}

/** Text that is folded if it is long. Its length is told, and all of it can be seen. */
export function LongText({ text }: { text: string }) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  const [open, setOpen] = useState(false)
  const characters = [...text]
  if (characters.length <= LONG && !text.includes('\n')) return <SafeText text={text} />
  const length = number(characters.length)
  const folds = characters.length > LONG
  return (
    <span className="value-long">
      <span className="value-box">
        <SafeText text={folds && !open ? `${characters.slice(0, FOLDED).join('')}…` : text} />
      </span>
      {folds ? (
        <button type="button" className="link num" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? card.showLess : card.showAll(length)}
        </button>
      ) : (
        <span className="value-note num">{card.characters(length)}</span>
      )}
    </span>
  )
}

function Url({ text }: { text: string }) {
  const { card } = useInboxWords()
  return (
    <span className="value-url">
      <span className="mono">
        <SafeText text={text} />
      </span>
      <span className="value-note">{card.notALink}</span>
    </span>
  )
}

function When({ text }: { text: string }) {
  const format = useFormat()
  const time = Date.parse(text)
  if (Number.isNaN(time)) return <SafeText text={text} />
  return (
    <span className="value-url">
      <span className="num">{format.exact(time)}</span>
      <span className="value-note mono">
        <SafeText text={text} />
      </span>
    </span>
  )
}

function Secret({ value }: { value: JsonValue }) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  return (
    <span className="value-url">
      <Icon name="lock" />
      <span aria-hidden="true">••••••••</span>
      <span className="value-note num">{card.secret(number([...String(value)].length))}</span>
    </span>
  )
}

/** Items with their number first. */
export function List({ items, mono }: { items: readonly JsonValue[]; mono: boolean }) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  if (items.length === 0) return <span className="value-none">{card.emptyText}</span>
  return (
    <details className="value-list" open={items.length <= 3}>
      <summary>
        <strong className="num">{items.length === 1 ? card.oneItem : card.items(number(items.length))}</strong>
      </summary>
      <ul>
        {items.slice(0, ITEMS).map((item, at) => (
          <li key={at} className={mono ? 'mono' : undefined}>
            <SafeText text={typeof item === 'string' ? item : JSON.stringify(item)} />
          </li>
        ))}
        {items.length > ITEMS && <Rest items={items.slice(ITEMS)} />}
      </ul>
    </details>
  )
}

/** Items that are not shown at first. All of them can be seen. */
function Rest({ items }: { items: readonly JsonValue[] }) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  const [open, setOpen] = useState(false)
  if (!open)
    return (
      <li>
        <button type="button" className="link num" onClick={() => setOpen(true)}>
          {card.more(number(items.length))}
        </button>
      </li>
    )
  return (
    <li className="value-rest mono">
      <SafeText text={items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n')} code />
    </li>
  )
}
