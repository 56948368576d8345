import type { Me } from 'holdpoint/client'
import { useRequests } from 'holdpoint/react'
import { useDeferredValue, useEffect, useMemo } from 'react'
import { useClock } from '../app/clock.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { outcomeOf } from '../queue/outcome.ts'
import { Failure, Skeleton } from '../view/loading.tsx'
import { words as shared } from '../view/words.ts'
import { DecisionRow } from './decision-row.tsx'
import { beginOf, type DecisionFilter, isSince, matches, toQuery } from './filter.ts'
import { Filters } from './filters.tsx'
import { words } from './words.ts'

/** Filters that the server does not know may leave little of a page: so many rows are looked for. */
const ENOUGH = 20
const PAGE = 50
/** The most that is loaded for one search of that kind. */
const MOST = 1000

interface DecidedProps {
  filter: DecisionFilter
  onFilter: (filter: DecisionFilter) => void
  me: Me | undefined
}

/** Requests that no longer wait, the last decision first. */
export function Decided({ filter, onFilter, me }: DecidedProps) {
  const text = useWords(words)
  const common = useWords(shared)
  const now = useClock()
  const typed = useDeferredValue(filter.text)
  const { period, outcome } = filter
  const query = useMemo(() => toQuery({ text: typed, outcome }), [typed, outcome])
  const begin = useMemo(() => beginOf(period, now()), [period, now])
  const list = useRequests(query, { limit: PAGE })
  const rows = list.rows.filter(({ request }) => matches(request, filter) && isSince(request, begin))
  const people = [...new Set(list.rows.flatMap(({ request }) => outcomeOf(request).by ?? []))].sort()
  const { loadingMore, loadMore, state } = list
  const last = list.rows.at(-1)
  // The last decision is first: what comes after one from before the period is older still.
  const more = list.more && (last === undefined || isSince(last.request, begin))
  const looking = more && state === 'ready' && rows.length < ENOUGH && list.rows.length < MOST
  useEffect(() => {
    if (looking && !loadingMore) void loadMore()
  }, [looking, loadingMore, loadMore])
  return (
    <>
      <Filters filter={filter} people={people} me={me?.id} onChange={onFilter} />
      {state === 'failed' && <Failure error={list.error} onRetry={() => void list.reload()} />}
      {list.fresh > 0 && (
        <button type="button" className="chip fresh-decisions" onClick={list.showFresh}>
          {common.fresh(list.fresh)}
        </button>
      )}
      {state === 'loading' && <Skeleton lines={8} />}
      {state === 'ready' && rows.length === 0 && !looking && (
        <p className="empty-note">{list.rows.length === 0 && query.text === undefined ? text.none : text.noneMatch}</p>
      )}
      <ol className="chain">
        {rows.map(({ request }) => (
          <DecisionRow key={request.id} request={request} me={me} />
        ))}
      </ol>
      {more && (
        <button
          type="button"
          className="btn more-button"
          aria-disabled={loadingMore || undefined}
          onClick={() => void loadMore()}
        >
          {loadingMore ? common.loadingMore : common.more}
        </button>
      )}
    </>
  )
}
