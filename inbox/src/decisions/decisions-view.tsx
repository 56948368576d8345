import { useMe } from 'holdpoint/react'
import { useState } from 'react'
import { useRoute } from '../app/use-route.ts'
import { useWords } from '../i18n/i18n.tsx'
import { mayAudit } from '../view/may-audit.ts'
import { View } from '../view/view.tsx'
import { AuditActions, CheckResult } from './audit.tsx'
import { Decided } from './decided.tsx'
import { type DecisionFilter, NO_FILTER } from './filter.ts'
import { NotAsked } from './not-asked.tsx'
import { OneDecision } from './one-decision.tsx'
import { useChainCheck } from './use-chain-check.ts'
import { words } from './words.ts'
import './decisions.css'

/** The record: who decided what, having seen what, sealed in a chain. */
export default function DecisionsView() {
  const text = useWords(words)
  const route = useRoute()
  const me = useMe().data
  const check = useChainCheck()
  const [filter, setFilter] = useState<DecisionFilter>(NO_FILTER)
  const audits = me !== undefined && mayAudit(me)
  const one = route.view === 'decisions' ? route.id : undefined
  return (
    <View title={text.title} text={text.text} actions={audits ? <AuditActions check={check} /> : undefined}>
      <CheckResult check={check} />
      {one !== undefined && <OneDecision key={one} id={one} me={me} />}
      {filter.notAsked ? (
        <NotAsked audits={audits} filter={filter} onFilter={setFilter} />
      ) : (
        <Decided filter={filter} onFilter={setFilter} me={me} />
      )}
    </View>
  )
}
