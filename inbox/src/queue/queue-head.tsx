import type { Counts } from 'holdpoint/client'
import { type RefObject, useEffect, useState } from 'react'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { isComposing } from '../keyboard/typing.ts'
import { Icon } from '../shell/icon.tsx'
import {
  type BaseFilter,
  bases,
  keepFilters,
  type QueueFilter,
  readFilters,
  type SavedFilter,
  sameFilter,
} from './filters.ts'

interface QueueHeadProps {
  filter: QueueFilter
  onFilter: (filter: QueueFilter) => void
  counts: Counts | undefined
  fresh: number
  settled: number
  onRefresh: () => void
  search: RefObject<HTMLInputElement | null>
  /** It is the only heading of its level on the screen. */
  top: boolean
}

/** The head of the queue: what is new, the filters with their counts, the search. */
export function QueueHead({ filter, onFilter, counts, fresh, settled, onRefresh, search, top }: QueueHeadProps) {
  const { queue } = useInboxWords()
  const format = useFormat()
  const Title = top ? 'h1' : 'h2'
  const count = (of: BaseFilter) =>
    counts && countText(counts[{ all: 'open', mine: 'mine', high: 'high' }[of] as keyof Counts], format.number)
  return (
    <div className="queue-head">
      <div className="queue-title">
        <Title>{queue.title}</Title>
        {fresh > 0 ? (
          <button type="button" className="fresh" onClick={onRefresh}>
            <Icon name="up" />
            {queue.fresh(fresh)}
          </button>
        ) : settled > 0 ? (
          <button type="button" className="link tidy" onClick={onRefresh}>
            {queue.tidy(settled)}
          </button>
        ) : (
          <span className="queue-order">{queue.order}</span>
        )}
      </div>
      <Search filter={filter} onFilter={onFilter} input={search} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would ask for a legend that nobody needs to see */}
      <div className="chips" role="group" aria-label={queue.filter}>
        {bases.map((base) => (
          <button
            key={base}
            type="button"
            className="chip"
            aria-pressed={filter.base === base}
            onClick={() => onFilter({ ...filter, base })}
          >
            {queue[base]}
            <span className="num">{count(base)}</span>
          </button>
        ))}
      </div>
      <Kept filter={filter} onFilter={onFilter} />
    </div>
  )
}

/** A count that stops, such as `1000+`. */
export const countText = ({ count, more }: Counts['open'], number: (value: number) => string): string =>
  `${number(count)}${more ? '+' : ''}`

const SETTLE_MS = 250

function Search({
  filter,
  onFilter,
  input,
}: {
  filter: QueueFilter
  onFilter: (filter: QueueFilter) => void
  input: RefObject<HTMLInputElement | null>
}) {
  const { queue } = useInboxWords()
  const [text, setText] = useState(filter.text)
  const [known, setKnown] = useState(filter.text)
  if (known !== filter.text) {
    setKnown(filter.text)
    setText(filter.text)
  }
  useEffect(() => {
    if (text === filter.text) return
    const timer = setTimeout(() => onFilter({ ...filter, text }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text, filter, onFilter])
  return (
    <search className="queue-search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        className="input"
        value={text}
        maxLength={200}
        placeholder={queue.searchHint}
        aria-label={queue.search}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
          // It ends the search alone: not an edit, nor a selection.
          event.preventDefault()
          setText('')
          onFilter({ ...filter, text: '' })
          event.currentTarget.blur()
        }}
      />
    </search>
  )
}

/** Filters that the person keeps, and the way to keep this one. */
function Kept({ filter, onFilter }: { filter: QueueFilter; onFilter: (filter: QueueFilter) => void }) {
  const { queue } = useInboxWords()
  const [filters, setFilters] = useState(() => readFilters(localStorage))
  const change = (next: readonly SavedFilter[]) => setFilters(keepFilters(localStorage, next))
  const name = filter.text.trim()
  const isNew = name !== '' && !filters.some((each) => sameFilter(each, filter))
  if (filters.length === 0 && !isNew) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would ask for a legend that nobody needs to see
    <div className="chips chips-kept" role="group" aria-label={queue.saved}>
      {filters.map((kept) => (
        <span key={kept.name} className="chip-pair">
          <button
            type="button"
            className="chip"
            aria-pressed={sameFilter(kept, filter)}
            onClick={() =>
              onFilter(sameFilter(kept, filter) ? { base: 'all', text: '' } : { base: kept.base, text: kept.text })
            }
          >
            {kept.name}
          </button>
          <button
            type="button"
            className="chip-forget"
            aria-label={queue.removeSaved(kept.name)}
            onClick={() => change(filters.filter((each) => each !== kept))}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
      {isNew && (
        <button
          type="button"
          className="link"
          onClick={() =>
            change([...filters, { ...filter, name: filter.base === 'all' ? name : `${queue[filter.base]}: ${name}` }])
          }
        >
          {queue.save}
        </button>
      )}
    </div>
  )
}
