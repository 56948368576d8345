import type { RequestItem } from 'holdpoint/client'
import { hrefOf } from '../app/route.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { SafeText } from './values/safe-text.tsx'

/** Where a request is in the queue, and how to get to the others. */
export interface Place {
  /** Counted from one. 0: it is not in the queue. */
  at: number
  of: string
  onStep: (step: 1 | -1) => void
  context: boolean
  onContext: () => void
}

/** The line above a request: who asks, and the way to the others. */
export function CardHead({ request, place }: { request?: RequestItem; place: Place }) {
  const { card } = useInboxWords()
  return (
    <div className="card-head">
      <a className="back" href={hrefOf({ view: 'inbox' })}>
        <Icon name="left" />
        {card.back}
      </a>
      {request && (
        <div className="crumb">
          {request.path.map((agent, at) => (
            <span key={at} className="crumb-agent">
              {at > 0 && <Icon name="right" />}
              <SafeText text={agent} />
            </span>
          ))}
          <span className="sep">{card.kind[request.kind]}</span>
          {request.version > 1 && <span className="sep">{card.version(request.version)}</span>}
        </div>
      )}
      <div className="card-nav">
        {place.at > 0 && <span className="num card-at">{card.position(place.at, place.of)}</span>}
        <button type="button" className="icon-btn" aria-label={card.previous} onClick={() => place.onStep(-1)}>
          <Icon name="up" />
        </button>
        <button type="button" className="icon-btn" aria-label={card.next} onClick={() => place.onStep(1)}>
          <Icon name="down" />
        </button>
        <button
          type="button"
          className="icon-btn wide-only"
          aria-label={card.contextPanel}
          aria-pressed={place.context}
          onClick={place.onContext}
        >
          <Icon name="panel" />
        </button>
      </div>
    </div>
  )
}
