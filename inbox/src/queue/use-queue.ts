import { type RequestRow, useRequests } from 'holdpoint/react'
import { useEffect, useMemo, useRef } from 'react'
import { useClock } from '../app/clock.tsx'
import { type QueueFilter, toListFilter } from './filters.ts'
import { type Arranged, arrange, NOTHING } from './order.ts'

/** The most rows that are loaded for one queue. */
const MOST_ROWS = 10_000
const PAGE = 200

/** The queue of a filter, in the order of its deadlines. */
export interface Queue {
  state: 'loading' | 'ready' | 'failed'
  arranged: Arranged
  rows: ReadonlyMap<string, RequestRow>
  /** How many new requests wait to be shown. */
  fresh: number
  /** How many rows no longer wait. */
  settled: number
  /** Not all pages are loaded yet. */
  loadingMore: boolean
  /** Shows what is new and takes away what no longer waits. */
  refresh: () => void
  reload: () => void
}

/** The requests of a filter. All pages are loaded one after the other, because the most urgent request may be on the last one. */
export function useQueue(filter: QueueFilter): Queue {
  const { base, text } = filter
  const list = useRequests(
    useMemo(() => toListFilter({ base, text }), [base, text]),
    { limit: PAGE },
  )
  const { more, loadingMore, loadMore, state } = list
  const wanted = more && state === 'ready' && list.rows.length < MOST_ROWS
  useEffect(() => {
    if (wanted && !loadingMore) void loadMore()
  }, [wanted, loadingMore, loadMore])
  const arranged = useArranged(list.rows, `${base} ${text}`)
  const rows = useMemo(() => new Map(list.rows.map((row) => [row.request.id, row])), [list.rows])
  const settled = useMemo(() => list.rows.filter((row) => row.state !== 'waiting').length, [list.rows])
  return {
    state: list.rows.length > 0 ? 'ready' : state,
    arranged,
    rows,
    fresh: list.fresh,
    settled,
    loadingMore: wanted,
    refresh: list.showFresh,
    reload: () => void list.reload(),
  }
}

/** Keeps the order of what is shown. Another filter starts anew. */
function useArranged(rows: readonly RequestRow[], filter: string): Arranged {
  const clock = useClock()
  const before = useRef<{ filter: string; arranged: Arranged }>({ filter, arranged: NOTHING })
  return useMemo(() => {
    const known = before.current.filter === filter ? before.current.arranged : NOTHING
    const arranged = arrange(rows, known, clock())
    before.current = { filter, arranged }
    return arranged
  }, [rows, filter, clock])
}
