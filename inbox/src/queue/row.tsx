import type { RequestItem } from 'holdpoint/client'
import type { RequestRow } from 'holdpoint/react'
import { memo } from 'react'
import { hrefOf } from '../app/route.ts'
import { type HeadlinePart, headlineOf, iconOf, plainHeadline } from '../card/headline.ts'
import { asksAgain } from '../card/pane/asks-again.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { Ago, Deadline } from './deadline.tsx'
import { outcomeOf } from './outcome.ts'
import { RiskMark } from './risk.tsx'

interface RowProps {
  request: RequestItem
  /** `gone`: nothing of it may be shown any more. */
  state: RequestRow['state']
  current: boolean
  picked: boolean
  /** A decision about it is kept on this device. */
  held: boolean
  me: string
  onPick: (id: string, options: { to: boolean }) => void
}

/** One request in the queue: what would happen, then who asks, since when and until when. */
export const Row = memo(function Row({ request, state, current, picked, held, me, onPick }: RowProps) {
  const { queue } = useInboxWords()
  const { locale } = useFormat()
  const settled = state !== 'waiting'
  const parts: HeadlinePart[] = state === 'gone' ? [{ text: queue.gone }] : headlineOf(request, { locale })
  return (
    <div
      className="row"
      data-current={current || undefined}
      data-picked={picked || undefined}
      data-settled={settled || undefined}
    >
      <label className="pick">
        <input
          type="checkbox"
          checked={picked}
          disabled={settled}
          aria-label={queue.select(plainHeadline(parts))}
          onChange={(event) => onPick(request.id, { to: (event.nativeEvent as MouseEvent).shiftKey })}
        />
        <span className="pick-face">
          <Icon name={picked ? 'check' : iconOf(request)} />
        </span>
      </label>
      <a
        className="row-link"
        href={hrefOf({ view: 'inbox', id: request.id })}
        aria-current={current ? 'true' : undefined}
      >
        <span className="row-line">
          {parts.map((part, at) =>
            part.field === undefined ? (
              <SafeText key={at} text={part.text} />
            ) : (
              <span key={at} className={isData(part.field.format) ? 'row-data' : 'row-value num'}>
                <SafeText text={part.text} />
              </span>
            ),
          )}
        </span>
        {state !== 'gone' && (
          <span className="row-meta">
            {settled ? <Settled request={request} me={me} /> : <Marks request={request} held={held} me={me} />}
            <span className="sep row-agent">
              <SafeText text={request.agent} />
            </span>
            <span className="sep num">
              <Ago at={request.createdAt} plain />
            </span>
          </span>
        )}
        {!settled && (
          <span className="row-due">
            <Deadline request={request} brief />
          </span>
        )}
      </a>
    </div>
  )
})

const isData = (format: string) => format === 'email' || format === 'path' || format === 'url' || format === 'id'

function Settled({ request, me }: { request: RequestItem; me: string }) {
  const { queue } = useInboxWords()
  if (request.status === 'open') return <span className="row-outcome">{queue.notOpen}</span>
  const { outcome, by } = outcomeOf(request)
  const word = queue.outcome[outcome]
  return (
    <span className="row-outcome">
      <Icon name={outcome === 'reject' ? 'x' : outcome === 'expired' ? 'clock' : 'check'} />
      <SafeText text={by === undefined ? word : by === me ? queue.decidedByYou(word) : queue.decidedBy(by, word)} />
    </span>
  )
}

interface MarksProps {
  request: RequestItem
  held: boolean
  me: string
}

function Marks({ request, held, me }: MarksProps) {
  return (
    <>
      {request.risk !== undefined && request.risk !== 'low' && <RiskMark risk={request.risk} />}
      <Note request={request} held={held} me={me} />
    </>
  )
}

/** What sets this request apart, the most important first. There is room for one. */
function Note({ request, held, me }: MarksProps) {
  const { queue, card } = useInboxWords()
  if (held) return <span className="warn-text">{queue.kept}</span>
  if (request.hidden > 0) return <span className="warn-text">{queue.hidden(request.hidden)}</span>
  if (asksAgain(request)) return <span className="warn-text">{queue.again}</span>
  if (request.assigned !== undefined)
    return (
      <span>
        {request.assigned.id === me ? queue.takenByYou : <SafeText text={queue.taken(request.assigned.id)} />}
      </span>
    )
  if (request.kind === 'ask') return <span>{card.questionsOf(request.questions?.length ?? 0)}</span>
  return <span>{request.kind === 'confirm' ? queue.yesNo : <SafeText text={request.toolName ?? ''} />}</span>
}
