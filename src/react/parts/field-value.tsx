import type { ReactNode } from 'react'
import { formatField } from '../../core/display/format.ts'
import { valueAt } from '../../core/display/value-at.ts'
import type { DisplayField } from '../../protocol/display.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { PartProps } from './part-props.ts'
import { SafeText } from './safe-text.tsx'
import { type PartWords, usePartWords } from './words.tsx'

/** What `FieldValue` takes. */
export interface FieldValueProps extends PartProps {
  field: DisplayField
  args: JsonObject
  /** For numbers and amounts. Default `'en'`. */
  locale?: string
}

/** One argument of a call, written by its format: money with its currency, lists with their count, secrets as dots, everything else as safe text. */
export function FieldValue({ field, args, locale = 'en', className }: FieldValueProps): ReactNode {
  const words = usePartWords()
  return (
    <span className={className} data-part="value" data-format={field.format}>
      {contentOf({ field, args, locale, words })}
    </span>
  )
}

function contentOf({
  field,
  args,
  locale,
  words,
}: Required<Omit<FieldValueProps, 'className'>> & { words: PartWords }) {
  const value = valueAt(args, field.path)
  if (value === undefined) return words.absent
  if (value === '') return words.empty
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value) && field.format !== 'secret') return <List values={value} words={words} />
  switch (field.format) {
    case 'money':
    case 'number':
    case 'secret':
      return <SafeText text={formatField(field, args, { locale }) ?? ''} />
    case 'code':
    case 'sql':
    case 'json':
      return (
        <code>
          <SafeText text={asText(value)} fold={Number.POSITIVE_INFINITY} />
        </code>
      )
    // Never shortened: the end of an address or a path may be what matters.
    case 'email':
    case 'path':
    case 'url':
    case 'id':
    case 'enum':
    case 'date':
      return <SafeText text={asText(value)} fold={Number.POSITIVE_INFINITY} />
    case 'flag':
    case 'text':
    case 'list':
      return <SafeText text={asText(value)} />
    default:
      return field.format satisfies never
  }
}

function List({ values, words }: { values: readonly JsonValue[]; words: PartWords }): ReactNode {
  if (values.length === 0) return words.empty
  return (
    <details data-part="list" open={values.length <= 5}>
      <summary>{words.items(values.length)}</summary>
      <ol>
        {values.map((value, at) => (
          <li key={at}>
            <SafeText text={asText(value)} />
          </li>
        ))}
      </ol>
    </details>
  )
}

/** A value as text. */
export function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
