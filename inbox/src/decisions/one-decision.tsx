import type { Me } from 'holdpoint/client'
import { useRequest } from 'holdpoint/react'
import { Failure, Skeleton } from '../view/loading.tsx'
import { DecisionRow } from './decision-row.tsx'

/** The decision that the address names, opened, above the others. */
export function OneDecision({ id, me }: { id: string; me: Me | undefined }) {
  const { state, detail, error, reload } = useRequest(id)
  if (state === 'loading') return <Skeleton lines={2} />
  if (detail === undefined)
    return <Failure error={error} {...(state === 'absent' ? {} : { onRetry: () => void reload() })} />
  return (
    <ol className="chain chain-one">
      <DecisionRow request={detail.request} me={me} open />
    </ol>
  )
}
