import type { Me, SignedIn } from 'holdpoint/client'
import { useState } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { words as viewWords } from '../view/words.ts'
import { Group } from './group.tsx'
import { useSessions } from './use-sessions.ts'
import { words } from './words.ts'

/** Where a person is signed in, and how to end it. */
export function Sessions({ me }: { me: Me }) {
  const text = useWords(words)
  const common = useWords(viewWords)
  const say = useAnnounce()
  const { load, retry, loadMore, loadingMore, end } = useSessions()
  const [problem, setProblem] = useState<unknown>()
  const attempt = async (action: () => Promise<void>) => {
    setProblem(undefined)
    await action().catch(setProblem)
  }
  const endOne = (id: string) =>
    attempt(async () => {
      await end(id)
      say(text.ended)
    })
  const all = me.roles.includes('admin') ? ` ${text.sessionsAll}` : ''
  return (
    <Group title={text.sessions} text={`${text.sessionsText}${all}`}>
      {load.state === 'loading' && <Skeleton lines={2} />}
      {load.state === 'failed' && <Failure error={load.error} onRetry={retry} />}
      {problem !== undefined && <Failure error={problem} />}
      {load.state === 'ready' && load.data.length === 0 && <p className="quiet">{text.noSessions}</p>}
      {load.state === 'ready' && load.data.length > 0 && (
        <ul className="session-list">
          {load.data.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => void endOne(session.id)} />
          ))}
        </ul>
      )}
      {loadMore && (
        <button
          type="button"
          className="btn more-button"
          aria-disabled={loadingMore || undefined}
          onClick={() => void attempt(loadMore)}
        >
          {loadingMore ? common.loadingMore : text.moreSessions}
        </button>
      )}
    </Group>
  )
}

function SessionRow({ session, onEnd }: { session: SignedIn; onEnd: () => void }) {
  const text = useWords(words)
  const format = useFormat()
  const since = format.day(Date.parse(session.createdAt))
  return (
    <li className="session-row">
      <span className="session-who">
        <SafeText text={session.person} />
        {session.current && <span className="tag">{text.current}</span>}
        <span className="quiet">
          <SafeText text={session.roles.join(', ')} />
        </span>
      </span>
      <span className="quiet num">
        {text.since} {since}
        <span className="sep">
          {text.ends} {format.day(Date.parse(session.expiresAt))}
        </span>
      </span>
      {!session.current && (
        <button
          type="button"
          className="btn btn-small"
          aria-label={text.endName(visible(session.person), since)}
          onClick={onEnd}
        >
          {text.end}
        </button>
      )}
    </li>
  )
}
