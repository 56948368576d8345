import { useSyncExternalStore } from 'react'
import type { RequestListFilter } from '../../client/v1/inbox-client.ts'
import { useStore } from '../provider.tsx'
import { EMPTY_LIST, type RequestListView } from '../store/request-list.ts'

/** A list of requests, and what can be done with it. */
export interface RequestsView extends RequestListView {
  /** Adds the next page of older requests. */
  loadMore: () => Promise<void>
  /** Shows the new requests above the others, and takes away the rows that are settled. */
  showFresh: () => void
  /** Loads the list from its top. */
  reload: () => Promise<void>
}

/** How a list is loaded. */
export interface RequestsOptions {
  /** How many requests a page has. Default 50, at most 200. */
  limit?: number
}

/**
 * Requests, newest first, live. What is shown never moves by itself: `fresh` counts what is new, and requests that others decided stay in their
 * place, marked as settled.
 */
export function useRequests(filter: RequestListFilter = {}, { limit = 50 }: RequestsOptions = {}): RequestsView {
  const list = useStore().list(filter, limit)
  const view = useSyncExternalStore<RequestListView>(
    list.watch,
    () => list.snapshot,
    () => EMPTY_LIST,
  )
  return { ...view, loadMore: list.loadMore, showFresh: list.showFresh, reload: list.reload }
}
