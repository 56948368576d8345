import type { RequestItem } from 'holdpoint/client'
import { lazy, Suspense, useState } from 'react'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { inBulk, sumOf } from './selection.ts'

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))

interface BulkBarProps {
  requests: readonly RequestItem[]
  onClear: () => void
  onDone: (ids: readonly string[]) => void
}

/** What can be done with the selected requests. Each is checked in a dialog first. */
export function BulkBar({ requests, onClear, onDone }: BulkBarProps) {
  const { bulk } = useInboxWords()
  const format = useFormat()
  const [kind, setKind] = useState<'approve' | 'reject'>()
  const alone = requests.filter((request) => !inBulk(request)).length
  const open = (next: 'approve' | 'reject') => () => {
    if (alone === 0) setKind(next)
  }
  const sum = sumOf(requests, format)
  return (
    <>
      {requests.length > 0 && (
        <section className="bulk" aria-label={bulk.region}>
          <p className="bulk-text">
            <strong>{bulk.selected(requests.length)}</strong>
            <span className="num">{alone > 0 ? bulk.alone(alone) : sum && bulk.inAll(sum)}</span>
          </p>
          <div className="bulk-acts">
            <button type="button" className="btn btn-small" onClick={onClear}>
              {bulk.clear}
            </button>
            {(['reject', 'approve'] as const).map((next) => (
              <button
                key={next}
                type="button"
                className="btn btn-small"
                aria-disabled={alone > 0}
                aria-describedby="bulk-why"
                onClick={open(next)}
              >
                {next === 'reject' ? bulk.reject : bulk.check}
              </button>
            ))}
            <span className="sr" id="bulk-why">
              {alone > 0 && bulk.aloneWhy}
            </span>
          </div>
        </section>
      )}
      {/* It stays when others decide all that it lists, and says so: a click that was meant for it reaches nothing below. */}
      <Suspense>
        {kind && <BulkDialog kind={kind} requests={requests} onClose={() => setKind(undefined)} onDone={onDone} />}
      </Suspense>
    </>
  )
}
