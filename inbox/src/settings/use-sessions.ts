import type { ApiSessionPage, SignedIn } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'
import { type Load, useLoad } from './use-load.ts'

/** The sign-ins that a person sees, as far as they are loaded. */
export interface Sessions {
  load: Load<SignedIn[]>
  retry: () => void
  /** Loads the next page. Absent: all are loaded. */
  loadMore?: () => Promise<void>
  loadingMore: boolean
  end: (id: string) => Promise<void>
}

/** Loads sign-ins page by page. One that was ended leaves the list where it is. */
export function useSessions(): Sessions {
  const client = useClient()
  const [first, reload] = useLoad(useCallback(() => client.sessions(), [client]))
  const [later, setLater] = useState<ApiSessionPage[]>([])
  const [ended, setEnded] = useState<string[]>([])
  const [loadingMore, setLoadingMore] = useState(false)
  const pages = first.state === 'ready' ? [first.data, ...later] : []
  const next = pages.at(-1)?.next
  const more = async (cursor: string) => {
    if (loadingMore) return
    setLoadingMore(true)
    try {
      const page = await client.sessions({ cursor })
      setLater((before) => [...before, page])
    } finally {
      setLoadingMore(false)
    }
  }
  const shown = pages.flatMap(({ sessions }) => sessions).filter(({ id }) => !ended.includes(id))
  return {
    load: first.state === 'ready' ? { state: 'ready', data: shown } : first,
    retry: () => void reload(),
    ...(next === undefined ? {} : { loadMore: () => more(next) }),
    loadingMore,
    async end(id) {
      await client.endSession(id)
      setEnded((before) => [...before, id])
    },
  }
}
