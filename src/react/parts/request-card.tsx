import { type ReactNode, useId } from 'react'
import type { RequestDetail, RequestItem } from '../../protocol/api/requests.ts'
import type { DisplayField } from '../../protocol/display.ts'
import { FieldValue } from './field-value.tsx'
import type { PartProps } from './part-props.ts'
import { SafeText } from './safe-text.tsx'
import { type PartWords, usePartWords } from './words.tsx'

/** What `RequestCard` takes. */
export interface RequestCardProps extends PartProps {
  /** From `useRequest`: `detail`. */
  detail: RequestDetail
  /** For numbers, amounts and times. Default `'en'`. */
  locale?: string
  /** Arguments to show instead of those that were asked for, such as edited ones. */
  args?: RequestItem['args']
  /** The verdict: buttons, forms. It comes last. */
  children?: ReactNode
}

/**
 * A request in the order in which people should read it: what would happen, what is at stake, the exact arguments, what led here, and only then the
 * model's own words, folded.
 */
export function RequestCard({ detail, locale = 'en', args, children, className }: RequestCardProps): ReactNode {
  const words = usePartWords()
  const heading = useId()
  const { request, cause, modelText } = detail
  return (
    <article
      className={className}
      aria-labelledby={heading}
      data-part="card"
      data-status={request.status}
      data-risk={request.risk}
    >
      <h2 id={heading}>
        <SafeText text={request.title} fold={Number.POSITIVE_INFINITY} />
      </h2>
      {request.hidden > 0 && (
        <p role="note" data-part="hidden">
          {words.hidden(request.hidden)}
        </p>
      )}
      <Stakes request={request} words={words} locale={locale} />
      <Fields request={args === undefined ? request : { ...request, args }} locale={locale} />
      {cause !== undefined && (
        <section data-part="cause">
          <h3>{words.cause}</h3>
          <blockquote>
            <SafeText text={cause.text} />
          </blockquote>
        </section>
      )}
      {modelText !== undefined && (
        <details data-part="model">
          <summary>{words.modelText}</summary>
          <SafeText text={modelText} fold={Number.POSITIVE_INFINITY} />
        </details>
      )}
      {children}
    </article>
  )
}

function Stakes({ request, words, locale }: { request: RequestItem; words: PartWords; locale: string }): ReactNode {
  const { risk, display, expiresAt } = request
  const time = expiresAt === undefined ? undefined : new Date(expiresAt)
  const stakes: [string, ReactNode][] = [[words.asks, <SafeText key="asks" text={request.path.join(' › ')} />]]
  if (display?.environment !== undefined)
    stakes.push([words.where, <SafeText key="where" text={display.environment} />])
  if (display?.affected !== undefined)
    stakes.push([words.affected, <SafeText key="affected" text={display.affected} />])
  return (
    <dl data-part="stakes">
      {risk !== undefined && (
        <div data-risk={risk}>
          <dt>{words.riskName}</dt>
          <dd>{words.risk[risk]}</dd>
        </div>
      )}
      {stakes.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>{words.deadline}</dt>
        <dd>
          {time === undefined ? words.noDeadline : <time dateTime={expiresAt}>{time.toLocaleString(locale)}</time>}
        </dd>
      </div>
    </dl>
  )
}

function Fields({ request, locale }: { request: RequestItem; locale: string }): ReactNode {
  const { args = request.details } = request
  if (args === undefined) return null
  return (
    <dl data-part="fields">
      {fieldsOf(request).map((field) => (
        <div key={field.path} data-field={field.path}>
          <dt>
            <SafeText text={field.label ?? field.path} />
          </dt>
          <dd>
            <FieldValue field={field} args={args} locale={locale} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields that the tool named, then every argument that it did not: nothing that runs is left out. */
function fieldsOf({ display, args, details }: RequestItem): DisplayField[] {
  const named = display?.fields ?? []
  const shown = new Set(named.map(({ path }) => path.split('.')[0]))
  const others = Object.keys(args ?? details ?? {}).filter((path) => !shown.has(path))
  return [...named, ...others.map((path): DisplayField => ({ path, format: 'json' }))]
}
