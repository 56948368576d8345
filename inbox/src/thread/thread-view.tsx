import type { Verification } from 'holdpoint/client'
import { codeOf, isAbsent, useClient, useMe, useThread } from 'holdpoint/react'
import { useState } from 'react'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { mayAudit } from '../view/may-audit.ts'
import { View } from '../view/view.tsx'
import { Steps } from './steps.tsx'
import { words } from './words.ts'
import './thread.css'

/** The story of a thread, live: the end of a long one, and what came before as the reader asks for it. */
export default function ThreadView({ id }: { id: string }) {
  const text = useWords(words)
  const me = useMe().data
  const view = useThread(id)
  const { data, state, error, reload } = view
  const gone = state === 'failed' && isAbsent(error)
  const erased = state === 'failed' && codeOf(error) === 'thread_erased'
  return (
    <View
      title={
        <>
          <span className="thread-kind">{text.thread}</span> <SafeText text={id} />
        </>
      }
      text={text.text}
      actions={me !== undefined && mayAudit(me) && !gone ? <CheckChain key={id} id={id} /> : undefined}
    >
      {erased && (
        <p className="empty-note" role="status">
          {text.erased}
        </p>
      )}
      {state === 'failed' && !erased && <Failure error={error} {...(gone ? {} : { onRetry: () => void reload() })} />}
      {state === 'loading' && <Skeleton />}
      {data?.story.length === 0 && <p className="empty-note">{text.empty}</p>}
      {data !== undefined && <Steps key={id} view={view} story={data.story} me={me?.id} />}
    </View>
  )
}

function CheckChain({ id }: { id: string }) {
  const text = useWords(words)
  const format = useFormat()
  const client = useClient()
  const [state, setState] = useState<'idle' | 'checking' | Verification | { error: unknown }>('idle')
  const check = async () => {
    setState('checking')
    try {
      setState(await client.verify({ thread: id }))
    } catch (error) {
      setState({ error })
    }
  }
  const found = typeof state === 'object' && 'ok' in state ? state : undefined
  return (
    <div className="thread-check">
      <button
        type="button"
        className="btn"
        aria-disabled={state === 'checking' || undefined}
        onClick={() => void check()}
      >
        <Icon name="shield" />
        {state === 'checking' ? text.checking : text.check}
      </button>
      <p role="status" className={found?.ok === false ? 'hint hint-bad' : 'hint'}>
        {found?.ok === true &&
          (found.signed ? text.intactSigned(format.number(found.entries)) : text.intact(format.number(found.entries)))}
        {found?.ok === false && (
          <>
            {text.broken} <SafeText text={found.problems.map(({ problem }) => problem).join(' ')} />
          </>
        )}
      </p>
      {typeof state === 'object' && 'error' in state && <Failure error={state.error} />}
    </div>
  )
}
