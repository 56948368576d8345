import type { RequestItem } from 'holdpoint/client'
import { useNow } from '../app/clock.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'

const SOON = 15 * 60_000

/** A ring that empties. */
export function Ring({ part, size = 14 }: { part: number; size?: number }) {
  const shown = Math.max(0, Math.min(1, part)) * 100
  return (
    <svg className="ring" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <circle className="ring-ground" cx="8" cy="8" r="6" />
      <circle
        className="ring-left"
        cx="8"
        cy="8"
        r="6"
        pathLength={100}
        strokeDasharray={`${shown} 200`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  )
}

type Timed = Pick<RequestItem, 'createdAt' | 'expiresAt'>

/** How long a request can still be decided. */
export function Deadline({ request, brief = false }: { request: Timed; brief?: boolean }) {
  const { queue } = useInboxWords()
  if (request.expiresAt === undefined) return <span className="due">{queue.noDeadline}</span>
  return <Counting from={Date.parse(request.createdAt)} until={Date.parse(request.expiresAt)} brief={brief} />
}

function Counting({ from, until, brief }: { from: number; until: number; brief: boolean }) {
  const { queue } = useInboxWords()
  const format = useFormat()
  const now = useNow()
  const left = until - now
  if (left <= 0) return <span className="due due-soon">{queue.passed(format.clock(until))}</span>
  return (
    <span className={`due${left < SOON ? ' due-soon' : ''}`} title={format.exact(until)}>
      <Ring part={left / Math.max(1, until - from)} />
      <span className="num">{format.left(left / 1000)}</span>
      <span className={brief ? 'sr' : undefined}>{queue.left}</span>
    </span>
  )
}

/** A time before now, with the exact one on hover. */
export function Ago({ at, plain = false }: { at: string; plain?: boolean }) {
  const format = useFormat()
  const time = Date.parse(at)
  const seconds = (useNow('slow') - time) / 1000
  return (
    <time dateTime={at} title={format.exact(time)}>
      {plain ? format.span(seconds) : format.ago(seconds)}
    </time>
  )
}
