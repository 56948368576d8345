import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { useNarrow } from '../app/use-narrow.ts'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import type { Arranged } from './order.ts'
import { Row } from './row.tsx'
import type { Queue } from './use-queue.ts'

interface QueueListProps {
  queue: Queue
  current: string | undefined
  picked: ReadonlySet<string>
  held: ReadonlySet<string>
  me: string
  onPick: (id: string, options: { to: boolean }) => void
}

const HEIGHTS = { wide: { row: 64, group: 38 }, narrow: { row: 74, group: 44 } }

/** The rows of the queue. Each has a fixed height, and only those in sight exist, so that ten thousand scroll like ten. */
export function QueueList({ queue, current, picked, held, me, onPick }: QueueListProps) {
  const { queue: words } = useInboxWords()
  const format = useFormat()
  const heights = useNarrow() ? HEIGHTS.narrow : HEIGHTS.wide
  const { lines } = queue.arranged
  // Without a request beside it, the queue's own title is the first heading.
  const Group = current === undefined ? 'h2' : 'h3'
  const scroller = useRef<HTMLDivElement>(null)
  // The same functions for the same lines: otherwise all of them would be measured again at each step.
  const heightOf = useCallback(
    (at: number) => (lines[at]?.kind === 'group' ? heights.group : heights.row),
    [lines, heights],
  )
  const getItemKey = useCallback((at: number) => keyOf(lines[at]), [lines])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    overscan: 8,
    getItemKey,
  })
  useStay(scroller, queue.arranged, heights)
  useReveal(queue.arranged, current, (at) => virtual.scrollToIndex(at, { align: 'auto' }))
  return (
    <section
      className="queue-list"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={words.list}
      data-bulk={picked.size > 0 || undefined}
    >
      <ul style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index]
          if (!line) return null
          const row = line.kind === 'row' ? queue.rows.get(line.id) : undefined
          return (
            <li
              key={key}
              className="queue-line"
              style={{ height: heightOf(index), transform: `translateY(${start}px)` }}
            >
              {line.kind === 'group' && (
                <Group className="group">
                  {words[line.group]}
                  <span className="num">{format.number(line.count)}</span>
                </Group>
              )}
              {row && (
                <Row
                  request={row.request}
                  state={row.state}
                  current={row.request.id === current}
                  picked={picked.has(row.request.id)}
                  held={held.has(row.request.id)}
                  me={me}
                  onPick={onPick}
                />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const keyOf = (line: Arranged['lines'][number] | undefined) =>
  line?.kind === 'row' ? line.id : (line?.group ?? 'none')

/** Keeps the row at the top of the window where it is when others come in above it. */
function useStay(
  scroller: RefObject<HTMLDivElement | null>,
  arranged: Arranged,
  heights: { row: number; group: number },
) {
  const before = useRef(arranged)
  useLayoutEffect(() => {
    const box = scroller.current
    const old = before.current
    before.current = arranged
    if (!box || old === arranged || old.ids.length === 0 || box.scrollTop === 0) return
    const top = old.lines.findIndex((line, at) => line.kind === 'row' && offsetOf(old, at, heights) >= box.scrollTop)
    const line = old.lines[top]
    const now = line?.kind === 'row' ? arranged.at.get(line.id) : undefined
    if (now !== undefined) box.scrollTop += offsetOf(arranged, now, heights) - offsetOf(old, top, heights)
  }, [arranged, heights, scroller])
}

function offsetOf({ lines }: Arranged, at: number, { row, group }: { row: number; group: number }): number {
  const heads = lines.slice(0, at).filter((line) => line.kind === 'group').length
  return heads * group + (at - heads) * row
}

/** Scrolls to the current row when another one becomes current. */
function useReveal(arranged: Arranged, current: string | undefined, reveal: (at: number) => void) {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (current === shown.current) return
    const at = current === undefined ? undefined : arranged.at.get(current)
    if (at === undefined) return
    shown.current = current
    reveal(at)
  })
}
