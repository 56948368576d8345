import { hrefOf } from '../app/route.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'
import type { Standing } from './standing.ts'
import { Bar } from './verdict-bar.tsx'

interface ClosedBarProps {
  standing: Exclude<Standing, { kind: 'open' | 'sending' | 'refused' }>
  online: boolean
  resting: boolean
  onNext: () => void
  onOpen: (id: string) => void
  onShowNow: () => void
  onSendHeld: () => void
  onDrop: () => void
}

/** The bar of a request that cannot be decided now. What can be done instead stands where the verdict was. */
export function ClosedBar({
  standing,
  online,
  resting,
  onNext,
  onOpen,
  onShowNow,
  onSendHeld,
  onDrop,
}: ClosedBarProps) {
  const { verdict } = useInboxWords()
  const next = (
    <button
      type="button"
      className="btn btn-ink"
      aria-disabled={resting}
      data-resting={resting || undefined}
      onClick={() => !resting && onNext()}
    >
      {verdict.next}
      <Kbd keys={['J']} />
    </button>
  )
  switch (standing.kind) {
    case 'denied':
      return <Bar note={verdict.deniedBar}>{next}</Bar>
    case 'expired':
      return <Bar note={verdict.expiredBar}>{next}</Bar>
    case 'closed':
      return <Bar note={verdict.closed}>{next}</Bar>
    case 'decided':
      return (
        <Bar note={verdict.closed}>
          <a className="btn" href={hrefOf({ view: 'decisions', id: standing.request.id })}>
            {verdict.seeRecord}
          </a>
          {next}
        </Bar>
      )
    case 'replaced': {
      const { by } = standing
      if (!by) return <Bar note={verdict.replacedBar}>{next}</Bar>
      return (
        <Bar note={verdict.replacedBar}>
          <button type="button" className="btn btn-ink" onClick={() => onOpen(by.id)}>
            {verdict.openNew}
          </button>
        </Bar>
      )
    }
    case 'changed':
      return (
        <Bar note={verdict.changedBar}>
          <button type="button" className="btn btn-ink" onClick={onShowNow}>
            {verdict.readAgain}
          </button>
        </Bar>
      )
    case 'held':
      return (
        <Bar note={verdict.heldBar}>
          {!standing.perhaps && (
            <button type="button" className="btn" onClick={onDrop}>
              {verdict.drop}
            </button>
          )}
          {online ? (
            <button
              type="button"
              className="btn btn-ink"
              aria-disabled={resting}
              onClick={() => !resting && onSendHeld()}
            >
              {standing.perhaps ? verdict.retry : verdict.sendNow}
            </button>
          ) : (
            next
          )}
        </Bar>
      )
    default:
      return standing satisfies never
  }
}
