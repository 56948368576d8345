import type { RequestDetail } from 'holdpoint/client'
import { codeOf, useClient } from 'holdpoint/react'
import { type FormEvent, useId, useState } from 'react'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Ago } from '../../queue/deadline.tsx'
import { Icon } from '../../shell/icon.tsx'
import { SafeText } from '../values/safe-text.tsx'
import { Part } from './context-panel.tsx'

/** Who has taken the request, and what people noted about it. None of it reaches the agent. */
export function Notes({ detail, me }: { detail: RequestDetail; me: string }) {
  const { card } = useInboxWords()
  const { request, comments } = detail
  return (
    <Part title={card.comments}>
      {request.status === 'open' && <Claim detail={detail} me={me} />}
      {comments.length > 0 && (
        <ul className="notes">
          {comments.map(({ at, by, text }, index) => (
            <li key={index}>
              <p>
                <SafeText text={text} />
              </p>
              <span className="quiet">
                {by.id === me ? card.you : <SafeText text={by.id} />}, <Ago at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <NoteForm id={request.id} />
    </Part>
  )
}

function Claim({ detail: { request }, me }: { detail: RequestDetail; me: string }) {
  const { card } = useInboxWords()
  const format = useFormat()
  const client = useClient()
  const [problem, setProblem] = useState<string>()
  const { assigned } = request
  if (assigned !== undefined)
    return (
      <p className="quiet taken">
        <Icon name="person" />
        <span>
          {assigned.id === me ? card.takenByYou : <SafeText text={card.takenBy(assigned.id)} />}
          {assigned.until !== undefined && `, ${card.takenUntil(format.clock(Date.parse(assigned.until)))}`}
        </span>
      </p>
    )
  const take = async () => {
    try {
      await client.claim(request.id, {})
      setProblem(undefined)
    } catch (error) {
      setProblem(codeOf(error) === 'taken' ? card.takeFailed : error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <p className="taken">
      <button type="button" className="btn btn-small" onClick={() => void take()}>
        {card.take}
      </button>
      {problem !== undefined && <span className="hint hint-bad">{problem}</span>}
    </p>
  )
}

function NoteForm({ id }: { id: string }) {
  const { card } = useInboxWords()
  const client = useClient()
  const [text, setText] = useState('')
  const [failed, setFailed] = useState(false)
  const field = useId()
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    try {
      await client.comment(id, { text: text.trim() })
      setText('')
      setFailed(false)
    } catch {
      setFailed(true)
    }
  }
  return (
    <form className="note-form" onSubmit={(event) => void send(event)}>
      <label className="sr" htmlFor={field}>
        {card.addComment}
      </label>
      <input
        id={field}
        className="input"
        value={text}
        maxLength={10_000}
        placeholder={card.addComment}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="btn" aria-disabled={text.trim() === ''}>
        {card.send}
      </button>
      <span className="hint">
        <Icon name="lock" />
        {failed ? card.commentFailed : card.commentsHint}
      </span>
    </form>
  )
}
