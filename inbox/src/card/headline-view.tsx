import type { RequestItem } from 'holdpoint/client'
import type { Ref } from 'react'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { useFormat } from '../i18n/i18n.tsx'
import { headlineOf } from './headline.ts'
import { SafeText } from './values/safe-text.tsx'

interface HeadlineProps {
  request: RequestItem
  /** Changed arguments: what they replace is struck beside them. */
  edited?: JsonObject | undefined
  heading: Ref<HTMLHeadingElement>
}

/** What will happen, in the tool's own words. */
export function Headline({ request, edited, heading }: HeadlineProps) {
  const { locale } = useFormat()
  const parts = headlineOf(request, { locale })
  const after = edited ? headlineOf(request, { locale, args: edited }) : parts
  return (
    <h1 className="headline" tabIndex={-1} ref={heading}>
      {parts.map((part, at) => {
        const now = after[at]?.text ?? part.text
        return (
          <span key={at} className={part.field?.format === 'money' ? 'num' : undefined}>
            {now === part.text ? (
              <SafeText text={part.text} />
            ) : (
              <>
                <del>
                  <SafeText text={part.text} />
                </del>{' '}
                <ins>
                  <SafeText text={now} />
                </ins>
              </>
            )}
          </span>
        )
      })}
    </h1>
  )
}
