import { SafeText } from '../card/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Ago } from '../queue/deadline.tsx'
import { Icon } from '../shell/icon.tsx'
import { Failure } from '../view/loading.tsx'
import type { useChainCheck } from './use-chain-check.ts'
import type { useExport } from './use-export.ts'
import { words } from './words.ts'

interface AuditProps {
  check: ReturnType<typeof useChainCheck>
  exporting: ReturnType<typeof useExport>
}

/** Export and check, for those who may audit. */
export function AuditActions({ check: { check, start }, exporting: { exporting, start: save } }: AuditProps) {
  const text = useWords(words)
  const format = useFormat()
  const busy = exporting.state === 'working'
  const checking = check.state === 'checking'
  return (
    <>
      <button type="button" className="btn" aria-disabled={busy || undefined} onClick={busy ? undefined : save}>
        {busy ? text.exporting(format.number(exporting.lines)) : text.export}
      </button>
      <button
        type="button"
        className="btn"
        aria-disabled={checking || undefined}
        onClick={checking ? undefined : start}
      >
        <Icon name="shield" />
        {checking ? text.checking(format.number(check.threads)) : text.check}
      </button>
    </>
  )
}

/** What a check or an export found. */
export function CheckResult({ check: { check, start }, exporting: { exporting, start: save } }: AuditProps) {
  const text = useWords(words)
  const format = useFormat()
  return (
    <>
      {exporting.state === 'failed' && <Failure error={exporting.error} onRetry={save} />}
      {exporting.state === 'done' && (
        <p className="sr" role="status">
          {text.exported(format.number(exporting.lines))}
        </p>
      )}
      {check.state === 'failed' && <Failure error={check.error} onRetry={start} />}
      {check.state === 'done' && check.found.ok && (
        <div className="note note-good" role="status">
          <Icon name="shield" />
          <span>
            <strong>{text.intact}</strong>{' '}
            {text.intactText(format.number(check.found.entries), format.number(check.found.threads))}{' '}
            <Ago at={new Date(check.at).toISOString()} />
            {text.stop} {check.found.signed ? text.signed : text.unsigned}
          </span>
        </div>
      )}
      {check.state === 'done' && !check.found.ok && (
        <div className="note note-bad" role="alert">
          <Icon name="x" />
          <span>
            <strong>{text.broken}.</strong> {text.brokenText(check.found.problems.length)}
            <ul>
              {check.found.problems.map(({ threadId, problem }) => (
                <li key={threadId}>
                  <code>
                    <SafeText text={threadId} />
                  </code>
                  : <SafeText text={problem} />
                </li>
              ))}
            </ul>
          </span>
        </div>
      )}
    </>
  )
}
