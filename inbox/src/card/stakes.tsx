import type { RequestItem } from 'holdpoint/client'
import type { ReactNode } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Deadline } from '../queue/deadline.tsx'
import { RiskMark } from '../queue/risk.tsx'
import { SafeText } from './values/safe-text.tsx'

/** What is at stake: risk, place, who is affected, until when. */
export function Stakes({ request, closed }: { request: RequestItem; closed: boolean }) {
  const { card, queue } = useInboxWords()
  const { environment, affected } = request.display ?? {}
  const asks = environment === undefined || affected === undefined
  return (
    <dl className="stakes">
      <Stake name={card.stakes.risk}>
        {request.risk === undefined ? <span className="quiet">{queue.noRisk}</span> : <RiskMark risk={request.risk} />}
      </Stake>
      {environment !== undefined && (
        <Stake name={card.stakes.where}>
          <SafeText text={environment} />
        </Stake>
      )}
      {affected !== undefined && (
        <Stake name={card.stakes.affected} wide>
          <SafeText text={affected} />
        </Stake>
      )}
      {asks && (
        <Stake name={card.stakes.asks} wide={affected === undefined}>
          <SafeText text={request.agent} />
        </Stake>
      )}
      <Stake name={card.stakes.deadline}>
        {closed ? card.stakes.closed : <Deadline request={request} />}
        {!closed && request.kind === 'approve' && request.expiresAt !== undefined && (
          <span className="stake-then">{card.atDeadline[request.onTimeout ?? 'reject']}</span>
        )}
      </Stake>
    </dl>
  )
}

function Stake({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className="stake" data-wide={wide || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
