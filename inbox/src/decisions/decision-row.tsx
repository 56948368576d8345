import type { Me, RequestItem } from 'holdpoint/client'
import { useState } from 'react'
import { SafeText } from '../card/values/safe-text.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { Ago } from '../queue/deadline.tsx'
import { type Outcome, outcomeOf } from '../queue/outcome.ts'
import { Icon, type IconName } from '../shell/icon.tsx'
import { DecisionEntry } from './decision-entry.tsx'
import { words } from './words.ts'

const ICONS: Record<Outcome, IconName> = {
  approve: 'check',
  edit: 'pen',
  reject: 'x',
  respond: 'reply',
  answer: 'reply',
  expired: 'clock',
  cancelled: 'blank',
  aborted: 'blank',
  superseded: 'change',
}

interface DecisionRowProps {
  request: RequestItem
  me: Me | undefined
  /** It is shown opened. */
  open?: boolean
}

/** One decision in the chain. Opened, it tells what the person saw and what ran. */
export function DecisionRow({ request, me, open: opened = false }: DecisionRowProps) {
  const text = useWords(words)
  const [open, setOpen] = useState(opened)
  const { outcome, by, at } = outcomeOf(request)
  return (
    <li className="link-row" data-outcome={outcome}>
      <span className="link-dot">
        <Icon name={ICONS[outcome]} />
      </span>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="link-what">
            <strong>{text.outcome[outcome]}</strong>
            <span>
              <SafeText text={request.title} />
            </span>
          </span>
          <span className="link-who">
            {by === undefined ? closedBy(request, text) : by === me?.id ? text.you : <SafeText text={by} />}
          </span>
          <span className="link-time num">{at !== undefined && <Ago at={at} />}</span>
          <span className="link-seal-short">
            {request.digest !== undefined && (
              <>
                <span className="sr">{text.seal} </span>
                <code>{request.digest.slice(0, 8)}</code>
              </>
            )}
          </span>
          <Icon name="down" className="chevron" />
        </summary>
        {open && <DecisionEntry id={request.id} me={me} />}
      </details>
    </li>
  )
}

function closedBy({ closed, status }: RequestItem, text: typeof words.en): string {
  if (status === 'expired' || closed?.by.kind === 'time') return text.timeRanOut
  return text.system
}
