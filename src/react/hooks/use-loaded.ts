import { useCallback, useSyncExternalStore } from 'react'
import { LOADING, type Loaded, type Resource } from '../store/resource.ts'

/** Something that is loaded, and how to load it again. */
export type LoadedView<T> = Loaded<T> & { reload: () => Promise<void> }

/** Watches a resource. On a server nothing is loaded. */
export function useLoaded<T>(resource: Resource<T>): LoadedView<T> {
  const loaded = useSyncExternalStore<Loaded<T>>(
    resource.watch,
    () => resource.snapshot,
    () => LOADING,
  )
  const reload = useCallback(() => resource.refresh(), [resource])
  return { ...loaded, reload }
}
