import { useCallback, useEffect, useState } from 'react'

/** Something that is loaded once, and again on demand. */
export type Load<T> = { state: 'loading' } | { state: 'ready'; data: T } | { state: 'failed'; error: unknown }

/** Loads something when a component appears. `load` must be stable. */
export function useLoad<T>(load: () => Promise<T>): [Load<T>, () => Promise<void>] {
  const [state, setState] = useState<Load<T>>({ state: 'loading' })
  const again = useCallback(async () => {
    try {
      setState({ state: 'ready', data: await load() })
    } catch (error) {
      setState({ state: 'failed', error })
    }
  }, [load])
  useEffect(() => void again(), [again])
  return [state, again]
}
