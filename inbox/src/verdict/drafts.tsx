import { createContext, type Dispatch, type ReactNode, type SetStateAction, use, useEffect, useState } from 'react'

const Context = createContext<Map<string, unknown> | undefined>(undefined)

/** Keeps what was typed about requests and not sent, until the page is closed or somebody signs out. */
export function DraftsProvider({ children }: { children: ReactNode }) {
  const [drafts] = useState(() => new Map<string, unknown>())
  return <Context value={drafts}>{children}</Context>
}

/** State that is there again when the person comes back. `name` names the request, its version, and what is typed. */
export function useDraft<T>(name: string, empty: T): [T, Dispatch<SetStateAction<T>>] {
  const drafts = use(Context)
  if (!drafts) throw new Error('useDraft needs a DraftsProvider.')
  const [value, setValue] = useState<T>(() => (drafts.has(name) ? (drafts.get(name) as T) : empty))
  useEffect(() => {
    if (value === empty) drafts.delete(name)
    else drafts.set(name, value)
  }, [drafts, name, value, empty])
  return [value, setValue]
}
