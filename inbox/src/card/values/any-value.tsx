import type { JsonValue } from '../../../../src/protocol/json/json.ts'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Code } from './code.tsx'
import { List, LongText } from './field-value.tsx'

/** A value of which nothing is declared. */
export function AnyValue({ value }: { value: JsonValue | undefined }) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  if (value === undefined) return <span className="value-none">{card.absent}</span>
  if (value === null) return <span className="value-none">{card.isNull}</span>
  if (value === '') return <span className="value-none">{card.emptyText}</span>
  if (typeof value === 'number') return <span className="num">{number(value)}</span>
  if (typeof value === 'boolean') return <span>{value ? card.yes : card.no}</span>
  if (typeof value === 'string') return <LongText text={value} />
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return <List items={value} mono={false} />
  return <Code text={JSON.stringify(value, undefined, 2)} language="json" />
}
