import type { ThreadDetail } from '../../protocol/api/records.ts'
import type { InboxApi } from '../inbox-api.ts'
import { codeOf, isGone } from './errors.ts'
import { Resource } from './resource.ts'

/** How many earlier steps are loaded at once. */
const EARLIER = 100

/**
 * The story of a thread: its end, live, and as much before it as the reader asked for. Once something before the end was asked for, the end is loaded from
 * the same place on, so that nothing is left out between the two while the thread grows.
 */
export type ThreadStory = Resource<ThreadDetail> & {
  /** Loads the steps before those that are shown, if there are any. */
  showEarlier(): Promise<void>
}

/** The story of one thread. */
export function threadStory(api: Pick<InboxApi, 'thread'>, id: string): ThreadStory {
  /** What was loaded before the end, the oldest first, and where each part ends. The end begins at `from`. */
  let pages: { readonly before: string; detail: ThreadDetail }[] = []
  let end: ThreadDetail | undefined
  let from: string | undefined
  let loading: Promise<void> | undefined
  /** Requests that may have changed since they were loaded, as also decisions do that are taken back. Nothing else of a page changes. */
  const told = new Set<string>()
  const loadBefore = (before: string) => api.thread(id, { before, limit: EARLIER })

  async function load(): Promise<ThreadDetail> {
    const start = from
    try {
      const loaded = await api.thread(id, start ? { from: start } : {})
      // Something before it was asked for meanwhile.
      if (from !== start) return load()
      for (const page of pages) if (hasAny(page.detail, told)) page.detail = await loadBefore(page.before)
      end = loaded
      return whole(loaded)
    } catch (error) {
      const isTooFar = codeOf(error) === 'too_far_back'
      if (isTooFar || isGone(error)) {
        pages = []
        from = undefined
      }
      if (isTooFar && start) return load()
      throw error
    }
  }

  async function loadEarlier(): Promise<void> {
    const before = resource.snapshot.data?.before
    if (!before) return
    from ??= before
    const start = from
    const detail = await loadBefore(before)
    // The story may have been begun anew meanwhile.
    if (from !== start || !end) return
    pages.unshift({ before, detail })
    resource.set(whole(end))
  }

  function whole(last: ThreadDetail): ThreadDetail {
    const [oldest = { detail: last }] = pages
    return { ...oldest.detail, story: [...pages.flatMap(({ detail }) => detail.story), ...last.story] }
  }

  const resource = new Resource(load, (event) => {
    for (const item of end ? whole(end).story : [])
      if ('id' in item && (event.type === 'reset' || event.id === item.id)) told.add(item.id)
    return event.type === 'request' && (event.what === 'opened' || told.has(event.id))
  })
  const showEarlier = (): Promise<void> => {
    loading ??= loadEarlier().finally(() => {
      loading = undefined
    })
    return loading
  }
  return Object.assign(resource, { showEarlier })
}

function hasAny({ story }: ThreadDetail, ids: ReadonlySet<string>): boolean {
  return story.some((item) => 'id' in item && ids.has(item.id))
}
