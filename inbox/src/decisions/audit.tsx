import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Ago } from '../queue/deadline.tsx'
import { Icon } from '../shell/icon.tsx'
import { Failure } from '../view/loading.tsx'
import type { useChainCheck } from './use-chain-check.ts'
import { words } from './words.ts'

interface AuditProps {
  check: ReturnType<typeof useChainCheck>
}

/** The name of an export. Its lines are JSON. */
const fileName = () => `holdpoint-audit-${new Date().toISOString().slice(0, 10)}.jsonl`

/** Export and check, for those who may audit. */
export function AuditActions({ check: { check, start } }: AuditProps) {
  const text = useWords(words)
  const format = useFormat()
  const checking = check.state === 'checking'
  return (
    <>
      {/* The browser writes it to disk as it comes, and marks a download that breaks off as failed: the page holds nothing of it. */}
      <a className="btn" href="v1/audit" download={fileName()}>
        {text.export}
      </a>
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

/** What a check found. */
export function CheckResult({ check: { check, start } }: AuditProps) {
  const text = useWords(words)
  const format = useFormat()
  return (
    <>
      {check.state === 'failed' && <Failure error={check.error} onRetry={start} />}
      {check.state === 'done' && check.found.ok && (
        <div className="note note-good" role="status">
          <Icon name="shield" />
          <span>
            <strong>{text.intact}</strong>{' '}
            {text.intactText(format.number(check.found.entries), format.number(check.found.threads))}{' '}
            <Ago at={new Date(check.at).toISOString()} />
            {text.stop} {check.found.signed ? text.signed : text.unsigned}
            {check.found.erased > 0 && ` ${text.erased(format.number(check.found.erased))}`}
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
                  <SafeCode text={threadId} />: <SafeText text={problem} />
                </li>
              ))}
            </ul>
          </span>
        </div>
      )}
    </>
  )
}
