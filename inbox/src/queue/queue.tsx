import type { Counts } from 'holdpoint/client'
import type { RefObject } from 'react'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import type { QueueFilter } from './filters.ts'
import { QueueHead } from './queue-head.tsx'
import { QueueList } from './queue-list.tsx'
import { QueueSkeleton } from './queue-skeleton.tsx'
import type { Queue } from './use-queue.ts'

interface QueuePaneProps {
  queue: Queue
  filter: QueueFilter
  onFilter: (filter: QueueFilter) => void
  counts: Counts | undefined
  current: string | undefined
  picked: ReadonlySet<string>
  onPick: (id: string, options: { to: boolean }) => void
  onClear: (ids?: readonly string[]) => void
  held: ReadonlySet<string>
  me: string
  search: RefObject<HTMLInputElement | null>
}

/** The column of what waits. */
export function QueuePane({
  queue,
  filter,
  onFilter,
  counts,
  current,
  picked,
  onPick,
  onClear,
  held,
  me,
  search,
}: QueuePaneProps) {
  const { queue: words } = useInboxWords()
  const requests = [...picked].flatMap((id) => queue.rows.get(id)?.request ?? [])
  return (
    <section className="queue" aria-label={words.region} aria-busy={queue.state === 'loading'}>
      <QueueHead
        filter={filter}
        onFilter={onFilter}
        counts={counts}
        fresh={queue.fresh}
        settled={queue.settled}
        onRefresh={queue.refresh}
        search={search}
        top={current === undefined}
      />
      {queue.state === 'loading' && <QueueSkeleton />}
      {queue.state === 'failed' && (
        <p className="queue-none">
          {words.failed}{' '}
          <button type="button" className="link" onClick={queue.reload}>
            {words.retry}
          </button>
        </p>
      )}
      {queue.state === 'ready' && queue.arranged.ids.length === 0 && (
        <p className="queue-none">
          {words.noMatch}{' '}
          <button type="button" className="link" onClick={() => onFilter({ base: 'all', text: '' })}>
            {words.showAll}
          </button>
        </p>
      )}
      {queue.arranged.ids.length > 0 && (
        <QueueList queue={queue} current={current} picked={picked} held={held} me={me} onPick={onPick} />
      )}
      <BulkBar requests={requests} onClear={() => onClear()} onDone={onClear} />
    </section>
  )
}
