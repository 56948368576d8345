import type { RequestDetail, RequestItem } from 'holdpoint/client'
import { useEffect, useRef } from 'react'
import { useInboxWords } from '../../i18n/i18n.tsx'
import { takeFocus } from '../../keyboard/typing.ts'
import { Bar } from '../../verdict/verdict-bar.tsx'
import { Card } from '../card.tsx'
import { CardHead, type Place } from '../card-head.tsx'
import { Notice } from './notices.tsx'
import { Pane } from './pane.tsx'

/** A request that is being loaded. */
export function CardSkeleton() {
  const { shell } = useInboxWords()
  const bar = (width: string) => <span key={width} className="skeleton" style={{ width }} />
  return (
    <Pane bar={<EmptyBar />}>
      <article className="card card-skeleton" aria-busy="true">
        <h1 className="sr">{shell.loading}</h1>
        <div className="card-head">{bar('30%')}</div>
        <span className="skeleton skeleton-title" />
        {bar('88%')}
        <span className="skeleton skeleton-box" />
        {bar('22%')}
        {[66, 56, 60, 45, 63].map((width) => (
          <div key={width} className="field">
            {bar('90px')}
            {bar(`${width}%`)}
          </div>
        ))}
      </article>
    </Pane>
  )
}

/** Keeps the place of the verdict while there is none. */
function EmptyBar({ note = '' }: { note?: string }) {
  return (
    <Bar note={note}>
      <span />
    </Bar>
  )
}

interface PartialProps {
  request: RequestItem
  me: string
  place: Place
  focus: boolean
  offline: boolean
}

const NOTHING_MORE: Omit<RequestDetail, 'request'> = {
  policies: [],
  changes: [],
  offers: [],
  similar: [],
  grants: 0,
  story: [],
  comments: [],
}

/** A request of which only the queue's part is known. It can be read, and decided once all of it is there. */
export function PartialRequest({ request, me, place, focus, offline }: PartialProps) {
  const { verdict, shell } = useInboxWords()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (focus) takeFocus(heading.current)
  }, [focus])
  return (
    <Pane bar={<EmptyBar note={offline ? verdict.notLoaded : shell.loading} />}>
      <article className="card" aria-busy={!offline}>
        <CardHead request={request} place={place} />
        <Card detail={{ ...NOTHING_MORE, request }} standing={{ kind: 'open' }} me={me} heading={heading} partial />
      </article>
    </Pane>
  )
}

/** A request that did not load, or does not exist for this person. */
export function Failed({ absent, onRetry, place }: { absent: boolean; onRetry: () => void; place: Place }) {
  const { verdict } = useInboxWords()
  const { states } = verdict
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => takeFocus(heading.current), [])
  return (
    <Pane bar={<EmptyBar />}>
      <article className="card">
        <CardHead place={place} />
        <h1 className="sr" tabIndex={-1} ref={heading}>
          {absent ? states.missing : states.loadFailed}
        </h1>
        <Notice
          icon={absent ? 'lock' : 'offline'}
          {...(absent ? {} : { tone: 'warn' as const })}
          live
          title={absent ? states.missing : states.loadFailed}
        >
          <p>{absent ? states.missingText : states.loadFailedText}</p>
        </Notice>
        {!absent && (
          <button type="button" className="btn btn-ink" onClick={onRetry}>
            {verdict.retry}
          </button>
        )}
      </article>
    </Pane>
  )
}
