import type { RequestItem } from 'holdpoint/client'
import { useInboxWords } from '../i18n/i18n.tsx'

type Risk = NonNullable<RequestItem['risk']>

/** The risk of a request: three shapes and three words, so that the level reads without colour. */
export function RiskMark({ risk }: { risk: Risk }) {
  const { queue } = useInboxWords()
  return (
    <span className={`risk risk-${risk}`}>
      <svg className="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <RiskShape risk={risk} />
      </svg>
      {queue.riskShort[risk]}
    </span>
  )
}

function RiskShape({ risk }: { risk: Risk }) {
  switch (risk) {
    case 'high':
      return (
        <>
          <path d="M8 2 15 14H1z" fill="currentColor" stroke="none" />
          <path d="M8 6.5V10M8 12v.01" stroke="var(--surface)" />
        </>
      )
    case 'medium':
      return <path d="M8 2l6 6-6 6-6-6zM8 5v6" />
    case 'low':
      return <circle cx="8" cy="8" r="5" />
    default:
      return risk satisfies never
  }
}
