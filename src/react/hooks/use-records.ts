import { useCallback, useState, useSyncExternalStore } from 'react'
import type { InboxClient } from '../../client/v1/inbox-client.ts'
import type { Me } from '../../protocol/api/people.ts'
import type { Figures, GrantItem, ThreadDetail } from '../../protocol/api/records.ts'
import type { Counts } from '../../protocol/api/requests.ts'
import { useStore } from '../provider.tsx'
import type { LineState } from '../store/live-line.ts'
import { newKey } from '../store/new-key.ts'
import type { ThreadStory } from '../store/thread-story.ts'
import { type LoadedView, useLoaded } from './use-loaded.ts'

/** The client of the provider, for what has no hook. */
export function useClient(): InboxClient {
  return useStore().api
}

/** The signed-in person. */
export function useMe(): LoadedView<Me> {
  return useLoaded(useStore().me)
}

/** What waits for the person, live. */
export function useCounts(): LoadedView<Counts> {
  return useLoaded(useStore().counts)
}

/** The story of a thread. */
export type ThreadView = LoadedView<ThreadDetail> & {
  /** Whether there are steps before those that are shown, are being loaded, or could not be. */
  earlier: 'none' | 'more' | 'loading' | 'failed'
  earlierError?: unknown
  /** Loads steps before those that are shown. */
  showEarlier: () => Promise<void>
}

/** The story of a thread, live: all of a short one, else its last steps, and as many before them as are asked for. */
export function useThread(id: string): ThreadView {
  const thread = useStore().thread(id)
  const loaded = useLoaded(thread)
  const [asked, setAsked] = useState<{ thread: ThreadStory; error?: unknown }>()
  const showEarlier = useCallback(async () => {
    setAsked({ thread })
    setAsked(
      await thread.showEarlier().then(
        () => undefined,
        (error: unknown) => ({ thread, error }),
      ),
    )
  }, [thread])
  const now = asked?.thread === thread ? asked : undefined
  const more = now === undefined ? 'more' : now.error === undefined ? 'loading' : 'failed'
  const earlier = loaded.data?.before === undefined ? 'none' : more
  return { ...loaded, earlier, earlierError: now?.error, showEarlier }
}

/** Figures about requests and decisions of some days. */
export function useFigures(days = 7): LoadedView<Figures> {
  return useLoaded(useStore().figures(days))
}

/** Standing decisions, live, and how to end one. */
export function useGrants(): LoadedView<GrantItem[]> & { revoke: (id: string, reason?: string) => Promise<void> } {
  const store = useStore()
  const revoke = useCallback(
    async (id: string, reason?: string) => {
      await store.api.revoke(id, reason === undefined ? {} : { reason }, { idempotencyKey: newKey() })
      await store.grants.refresh()
    },
    [store],
  )
  return { ...useLoaded(store.grants), revoke }
}

/** Whether what is shown follows the server, and how to try again at once. */
export function useLive(): { state: LineState; retry: () => void } {
  const { line } = useStore()
  const state = useSyncExternalStore<LineState>(
    line.watch,
    () => line.snapshot,
    () => 'connecting',
  )
  return { state, retry: line.retry }
}

/** Signs out, and removes what was held for this person. */
export function useSignOut(): () => Promise<void> {
  const { api, verdicts } = useStore()
  return useCallback(async () => {
    await api.signOut()
    verdicts.forget()
  }, [api, verdicts])
}
