import type { ApiThreadPage } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'
import { hrefOf } from '../app/route.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { EndRun } from './end-run.tsx'
import { Group } from './group.tsx'
import { MoveRun } from './move-run.tsx'
import { useLoad } from './use-load.ts'
import { words } from './words.ts'

type Thread = ApiThreadPage['threads'][number]

/** Threads that have something to do and that no worker drives, for operators. */
export function StuckThreads() {
  const text = useWords(words)
  const client = useClient()
  const [load, reload] = useLoad(useCallback(() => client.threads({ stuck: true }), [client]))
  return (
    <Group title={text.stuck} text={text.stuckText}>
      {load.state === 'loading' && <Skeleton lines={2} />}
      {load.state === 'failed' && <Failure error={load.error} onRetry={() => void reload()} />}
      {load.state === 'ready' && load.data.threads.length === 0 && <p className="quiet">{text.noStuck}</p>}
      {load.state === 'ready' && (
        <ul className="webhooks">
          {load.data.threads.map((thread) => (
            <StuckRow key={thread.id} thread={thread} />
          ))}
        </ul>
      )}
    </Group>
  )
}

/** What was done about a thread last. */
type RowState = 'idle' | 'retried' | 'moved' | 'ended' | 'nothing' | { error: unknown }

function StuckRow({ thread: { id, stuck, lastAt } }: { thread: Thread }) {
  const text = useWords(words)
  const format = useFormat()
  const client = useClient()
  const [state, setState] = useState<RowState>('idle')
  const [asked, setAsked] = useState<'move' | 'end'>()
  const isOver = state === 'ended'
  const retry = async () => {
    try {
      setState((await client.retry(id)).retried ? 'retried' : 'nothing')
    } catch (error) {
      setState({ error })
    }
  }
  const close = () => setAsked(undefined)
  const did = (next: RowState) => {
    close()
    setState(next)
  }
  const failed = (error: unknown) => setState({ error })
  if (stuck === undefined) return null
  return (
    <li className="webhook">
      <p className="webhook-url">
        <a className="link" href={hrefOf({ view: 'thread', id })}>
          <SafeText text={id} />
        </a>
        <span className="quiet">
          <span className="warn-text">{text.stuckReason[stuck.reason]}</span>{' '}
          <SafeText text={text.stuckAgent(stuck.agent ?? '?', stuck.version)} />
          {stuck.tries > 0 && `, ${text.stuckTries(stuck.tries)}`}, {format.day(Date.parse(lastAt))}
        </span>
        {stuck.error !== undefined && (
          <span className="quiet">
            <SafeText text={stuck.error.message} />
          </span>
        )}
      </p>
      <div className="webhook-actions">
        <button
          type="button"
          className="btn btn-small"
          aria-label={text.retryName(id)}
          aria-disabled={state === 'retried' || isOver || undefined}
          onClick={() => isOver || void retry()}
        >
          {text.retry}
        </button>
        {stuck.liveVersions.length > 0 && (
          <button
            type="button"
            className="btn btn-small"
            aria-label={text.moveRunName(id)}
            aria-disabled={state === 'moved' || isOver || undefined}
            onClick={() => isOver || state === 'moved' || setAsked('move')}
          >
            {text.moveRun}
          </button>
        )}
        <button
          type="button"
          className="btn btn-small btn-no"
          aria-label={text.endRunName(id)}
          aria-disabled={isOver || undefined}
          onClick={() => isOver || setAsked('end')}
        >
          {text.endRun}
        </button>
      </div>
      <p role="status" className="quiet">
        {state === 'retried' && text.retried}
        {state === 'moved' && text.runMoved}
        {state === 'ended' && text.runEnded}
        {state === 'nothing' && text.notRetried}
      </p>
      {typeof state === 'object' && <Failure error={state.error} />}
      {asked === 'move' && (
        <MoveRun
          thread={id}
          versions={stuck.liveVersions}
          onClose={close}
          onFailed={failed}
          onMoved={() => did('moved')}
        />
      )}
      {asked === 'end' && (
        <EndRun
          thread={id}
          onClose={close}
          onFailed={failed}
          onEnded={(aborted) => did(aborted ? 'ended' : 'nothing')}
        />
      )}
    </li>
  )
}
