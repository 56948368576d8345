import type { LiveEvent, ThreadDetail } from '../../protocol/api/records.ts'
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
  /** What was loaded before the end, the oldest first, and where each part ends. */
  let pages: { readonly before: string; detail: ThreadDetail }[] = []
  let end: ThreadDetail | undefined
  /** Where the end begins. */
  let from: string | undefined
  let loading: Promise<void> | undefined
  /** Requests that may have changed since they were loaded. A decision may be taken back, so also those that are decided do. */
  const told = new Set<string>()

  const loadBefore = (before: string) => api.thread(id, { before, limit: EARLIER })

  async function load(): Promise<ThreadDetail> {
    const start = from
    try {
      const loaded = await api.thread(id, start === undefined ? {} : { from: start })
      // Something before it was asked for meanwhile.
      if (from !== start) return load()
      // What became of their requests may have changed. Nothing else does.
      for (const page of pages)
        if (page.detail.story.some((item) => 'id' in item && told.has(item.id)))
          page.detail = await loadBefore(page.before)
      end = loaded
      return whole(loaded)
    } catch (error) {
      const isTooFar = codeOf(error) === 'too_far_back'
      if (isTooFar || isGone(error)) {
        pages = []
        from = undefined
      }
      if (isTooFar && start !== undefined) return load()
      throw error
    }
  }

  async function loadEarlier(): Promise<void> {
    const before = resource.snapshot.data?.before
    if (before === undefined) return
    from ??= before
    const start = from
    const detail = await loadBefore(before)
    // The story may have been begun anew meanwhile.
    if (from !== start || end === undefined) return
    pages.unshift({ before, detail })
    resource.set(whole(end))
  }

  function whole(last: ThreadDetail): ThreadDetail {
    const [oldest = { detail: last }] = pages
    return { ...oldest.detail, story: [...pages.flatMap(({ detail }) => detail.story), ...last.story] }
  }

  function concerns(event: LiveEvent): boolean {
    for (const item of end ? whole(end).story : [])
      if ('id' in item && (event.type === 'reset' || event.id === item.id)) told.add(item.id)
    return event.type === 'request' && (event.what === 'opened' || told.has(event.id))
  }

  const resource = new Resource(load, concerns)
  const showEarlier = (): Promise<void> => {
    loading ??= loadEarlier().finally(() => {
      loading = undefined
    })
    return loading
  }
  return Object.assign(resource, { showEarlier })
}
