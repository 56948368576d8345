import type { GrantItem } from 'holdpoint/client'
import { useGrants, useMe } from 'holdpoint/react'
import { useState } from 'react'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { View } from '../view/view.tsx'
import { GrantRow } from './grant-row.tsx'
import { TakeBackAgent, TakeBackOne } from './take-back.tsx'
import { words } from './words.ts'
import './grants.css'

/** Standing decisions: how far each goes, and how to end it. */
export default function GrantsView() {
  const text = useWords(words)
  const format = useFormat()
  const me = useMe().data
  const { data, state, error, reload, revoke } = useGrants()
  // One grant, or those of which an agent is chosen: as they were when they were asked about. What comes later is not taken back with them.
  const [asked, setAsked] = useState<GrantItem | GrantItem[]>()
  const mayEnd = (grant: GrantItem) =>
    me !== undefined && (grant.by.id === me.id || me.roles.some((role) => role === 'operator' || role === 'admin'))
  const active = (data ?? []).filter((grant) => grant.status === 'active')
  const ended = (data ?? []).filter((grant) => grant.status !== 'active')
  const mine = active.filter(mayEnd)
  const actions = mine.length > 0 && (
    <button type="button" className="btn btn-no" onClick={() => setAsked(mine)}>
      {text.takeAgent}
    </button>
  )
  return (
    <View title={text.title} text={text.text} actions={actions || undefined}>
      {state === 'failed' && <Failure error={error} onRetry={() => void reload()} />}
      {state === 'loading' && <Skeleton />}
      {data !== undefined && active.length === 0 && <p className="empty-note">{text.none}</p>}
      {active.length > 0 && (
        <ul className="grants">
          {active.map((grant) => (
            <GrantRow
              key={grant.id}
              grant={grant}
              me={me?.id}
              onEnd={mayEnd(grant) ? () => setAsked(grant) : undefined}
            />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="grants-ended">
          <summary>{text.ended(format.number(ended.length))}</summary>
          <p className="quiet">{text.endedText}</p>
          <ul className="grants">
            {ended.map((grant) => (
              <GrantRow key={grant.id} grant={grant} me={me?.id} />
            ))}
          </ul>
        </details>
      )}
      {Array.isArray(asked) ? (
        <TakeBackAgent grants={asked} revoke={revoke} onClose={() => setAsked(undefined)} />
      ) : (
        asked && <TakeBackOne grant={asked} revoke={revoke} onClose={() => setAsked(undefined)} />
      )}
    </View>
  )
}
