import { codeOf, isAbsent, isUnreachable } from 'holdpoint/react'
import { useWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { words } from './words.ts'

/** Bars where lines will be. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const { loading } = useWords(words)
  return (
    <div aria-busy="true" className="skeleton-lines">
      <span className="sr" role="status">
        {loading}
      </span>
      {Array.from({ length: lines }, (_, at) => at).map((at) => (
        <span key={at} className="skeleton" data-width={at % 3} />
      ))}
    </div>
  )
}

/** Says what did not load, and what can be done. What is already shown stays. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useWords(words)
  return (
    <div className="note note-warn" role="alert">
      <Icon name="offline" />
      <span>{reasonOf(error, text)}</span>
      {onRetry && (
        <button type="button" className="btn btn-small" onClick={onRetry}>
          {text.retry}
        </button>
      )}
    </div>
  )
}

/** Why something was refused, in the reader's language where it is a usual reason. */
export function useReason(): (error: unknown) => string {
  const text = useWords(words)
  return (error) => reasonOf(error, text)
}

function reasonOf(error: unknown, text: typeof words.en): string {
  if (isUnreachable(error)) return text.unreachable
  if (isAbsent(error)) return text.absent
  if (codeOf(error) === 'not_allowed') return text.notAllowed
  const { detail } = error as { detail?: unknown }
  return typeof detail === 'string' ? text.refused(detail) : text.failed
}
