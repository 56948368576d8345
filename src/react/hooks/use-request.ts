import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { RequestDetail, RequestItem } from '../../protocol/api/requests.ts'
import { useStore } from '../provider.tsx'
import { type Difference, differences } from '../store/differences.ts'
import { isAbsent } from '../store/errors.ts'
import type { InboxStore } from '../store/inbox-store.ts'
import { IDLE, type VerdictState } from '../store/verdict-log.ts'
import { useLoaded } from './use-loaded.ts'

/** What happened to a request while it was being read. */
export type RequestChanged =
  /** It is open, but not as it was: `differences` say how. Decide only what is shown after `showNow`. */
  | { kind: 'changed'; now: RequestDetail; differences: Difference[] }
  /** It is closed: decided, expired, cancelled, or its run ended. */
  | { kind: 'closed'; now: RequestDetail }
  /** Another request takes its place, once that is found. */
  | { kind: 'replaced'; now: RequestDetail; by?: RequestItem; differences: Difference[] }

/** A request that is being read. */
export interface RequestView {
  /** `absent`: it does not exist, or the person may not see it. */
  state: 'loading' | 'ready' | 'failed' | 'absent'
  /** What the person is reading. It changes only by `showNow`, except for comments and assignments. */
  detail?: RequestDetail
  changed?: RequestChanged
  error?: unknown
  /** Shows the request as it is now. */
  showNow: () => void
  reload: () => Promise<void>
}

/**
 * One request with what a person needs to decide it, live. A change while it is read is told, and decides nothing. What the person did themselves in
 * this window, and changes that leave everything that is decided about as it was, are no news: they are shown at once.
 */
export function useRequest(id: string): RequestView {
  const store = useStore()
  const { state, data: now, error, reload } = useLoaded(store.request(id))
  const verdict = useVerdict(store, id)
  const [read, setRead] = useState<RequestDetail>()
  const known = read?.request.id === id ? read : undefined
  const shown = now !== undefined && (known === undefined || isNoNews({ shown: known, now, verdict })) ? now : known
  if (shown !== undefined && shown !== read) setRead(shown)
  const successor = useSuccessor(now?.request)
  const showNow = useCallback(() => setRead(now), [now])
  const view = { showNow, reload }
  if (shown === undefined || now === undefined) {
    if (state !== 'failed') return { ...view, state: 'loading' }
    return { ...view, state: isAbsent(error) ? 'absent' : 'failed', error }
  }
  const detail = { ...shown, comments: now.comments, request: withNotes(shown.request, now.request) }
  const busy = verdict.state === 'sending' || verdict.state === 'withdrawing'
  const changed = busy ? undefined : changeOf(shown, now, successor)
  return {
    ...view,
    state: state === 'failed' ? (isAbsent(error) ? 'absent' : 'failed') : 'ready',
    detail,
    ...(changed === undefined ? {} : { changed }),
    ...(error === undefined ? {} : { error }),
  }
}

function useVerdict({ verdicts }: InboxStore, id: string): VerdictState {
  return useSyncExternalStore<VerdictState>(
    verdicts.watch,
    () => verdicts.of(id),
    () => IDLE,
  )
}

interface Reading {
  shown: RequestDetail
  now: RequestDetail
  verdict: VerdictState
}

/** Whether what is now may take the place of what is read without a word. */
function isNoNews({ shown, now, verdict }: Reading): boolean {
  if (shown.request.version === now.request.version && shown.request.status === now.request.status) return true
  switch (verdict.state) {
    case 'undoable':
    case 'done':
    case 'withdrawn':
      if (verdict.request.version >= now.request.version) return true
      break
    case 'idle':
    case 'sending':
    case 'withdrawing':
    case 'held':
    case 'failed':
      break
    default:
      verdict satisfies never
  }
  const { request } = shown
  const open = request.status === 'open' && now.request.status === 'open'
  return open && request.digest === now.request.digest && differences(request, now.request).length === 0
}

/** Comments and assignments belong to no version. */
function withNotes(shown: RequestItem, now: RequestItem): RequestItem {
  const { assigned: _, ...rest } = shown
  return { ...rest, comments: now.comments, ...(now.assigned === undefined ? {} : { assigned: now.assigned }) }
}

function changeOf(shown: RequestDetail, now: RequestDetail, by: RequestItem | undefined): RequestChanged | undefined {
  if (shown.request.version === now.request.version && shown.request.status === now.request.status) return undefined
  switch (now.request.status) {
    case 'open':
      return { kind: 'changed', now, differences: differences(shown.request, now.request) }
    case 'superseded':
      return by === undefined
        ? { kind: 'replaced', now, differences: [] }
        : { kind: 'replaced', now, by, differences: differences(shown.request, by) }
    case 'decided':
    case 'expired':
    case 'cancelled':
    case 'aborted':
      return { kind: 'closed', now }
    default:
      return now.request.status satisfies never
  }
}

/** The request that takes the place of one that was superseded. */
function useSuccessor(request: RequestItem | undefined): RequestItem | undefined {
  const { api } = useStore()
  const [found, setFound] = useState<RequestItem>()
  const replaced = request?.status === 'superseded' ? request : undefined
  const { id, threadId } = replaced ?? {}
  useEffect(() => {
    if (id === undefined || threadId === undefined) return
    let gone = false
    const find = async (): Promise<void> => {
      const { requests } = await api.requests({ status: 'all', thread: threadId, limit: 200 })
      if (!gone) setFound(requests.find(({ supersedes }) => supersedes === id))
    }
    // Without it the page still says that the request was replaced.
    find().catch(() => undefined)
    return () => {
      gone = true
    }
  }, [api, id, threadId])
  return found?.supersedes === id ? found : undefined
}
