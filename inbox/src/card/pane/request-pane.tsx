import type { Me, RequestItem } from 'holdpoint/client'
import { useDecide, useLive, useRequest } from 'holdpoint/react'
import { useEffect } from 'react'
import { useNow } from '../../app/clock.tsx'
import { useInboxWords } from '../../i18n/i18n.tsx'
import { useKeys } from '../../keyboard/use-keys.ts'
import { useAnnounce } from '../../shell/announcer.tsx'
import { standingOf } from '../../verdict/standing.ts'
import type { Place } from '../card-head.tsx'
import { ContextPanel } from '../context/context-panel.tsx'
import { OpenRequest } from './open-request.tsx'
import { CardSkeleton, Failed, PartialRequest } from './pane-states.tsx'

interface RequestPaneProps {
  id: string
  me: Me
  /** The request as the queue shows it, until all of it is loaded. */
  known: RequestItem | undefined
  place: Place
  /** Whether the heading takes the focus when it is shown. */
  focus: boolean
  context: 'beside' | 'below' | 'none'
  onDecided: (id: string) => void
}

/** The request that is being read, and the bar that decides it. */
export function RequestPane({ id, me, known, place, focus, context, onDecided }: RequestPaneProps) {
  const { card } = useInboxWords()
  const view = useRequest(id)
  const deciding = useDecide()
  const { state: line } = useLive()
  const now = useNow()
  const announce = useAnnounce()
  const { detail, changed, showNow } = view
  // A new version that a person would read the same decides the same: only its number is taken over.
  const sameToRead = changed?.kind === 'changed' && changed.differences.length === 0
  useEffect(() => {
    if (sameToRead) showNow()
  }, [sameToRead, showNow])
  useKeys({
    '.': () => {
      void navigator.clipboard?.writeText(id).then(() => announce(card.copied))
    },
    m: () => toggle('model'),
    v: () => document.getElementById('preview')?.scrollIntoView({ block: 'start' }),
  })
  if (!detail) {
    const failed = view.state !== 'loading' && !(known && line === 'offline')
    if (failed) return <Failed absent={view.state === 'absent'} onRetry={() => void view.reload()} place={place} />
    return known ? (
      <PartialRequest request={known} me={me.id} place={place} focus={focus} offline={line === 'offline'} />
    ) : (
      <CardSkeleton />
    )
  }
  const standing = standingOf({ detail, changed, verdict: deciding.of(id), now })
  const aside = context !== 'none' && <ContextPanel detail={detail} me={me.id} />
  return (
    <>
      <OpenRequest
        key={`${id}@${detail.request.version}`}
        {...{ detail, standing, deciding, me, place, focus, onDecided }}
        offline={line === 'offline'}
        onShowNow={showNow}
        below={context === 'below' && aside}
      />
      {context === 'beside' && aside}
    </>
  )
}

function toggle(id: string): void {
  const details = document.getElementById(id)
  if (details instanceof HTMLDetailsElement) details.open = !details.open
}
