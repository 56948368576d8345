import { useSyncExternalStore } from 'react'

function watch(query: string): { subscribe: (listener: () => void) => () => void; read: () => boolean } {
  return {
    subscribe: (listener) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    read: () => matchMedia(query).matches,
  }
}

const narrow = watch('(max-width: 760px)')
const roomy = watch('(min-width: 1241px)')

/** Whether the page has one column, as on a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(narrow.subscribe, narrow.read)

/** Whether queue, request and context fit beside each other. */
export const useRoomy = (): boolean => useSyncExternalStore(roomy.subscribe, roomy.read)
