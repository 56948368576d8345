import type { ReactNode } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Notice } from './notices.tsx'

/** A request that is being loaded. */
export function CardSkeleton() {
  const { shell } = useInboxWords()
  const bar = (width: string) => <span key={width} className="skeleton" style={{ width }} />
  return (
    <article className="card" aria-busy="true">
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
  )
}

/** A queue that is being loaded. */
export function QueueSkeleton() {
  return (
    <div className="queue-skeleton" aria-hidden="true">
      {[72, 88, 64, 80, 92, 70, 76].map((width) => (
        <div key={width}>
          <span className="skeleton" style={{ width: `${width}%` }} />
          <span className="skeleton" style={{ width: `${width - 30}%` }} />
        </div>
      ))}
    </div>
  )
}

/** A request that did not load, or does not exist for this person. */
export function Failed({ absent, onRetry, head }: { absent: boolean; onRetry: () => void; head: ReactNode }) {
  const { verdict } = useInboxWords()
  const { states } = verdict
  return (
    <article className="card">
      {head}
      <h1 className="sr">{absent ? states.missing : states.loadFailed}</h1>
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
  )
}
