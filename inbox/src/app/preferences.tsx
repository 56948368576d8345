import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'
import { type Language, languages, preferredLanguage } from '../i18n/language.ts'
import { type Theme, themes } from '../theme/theme.ts'

/** What a person chose on this device. */
export interface Preferences {
  language: Language
  theme: Theme
  /** Whether single keys act. */
  keys: boolean
  /** Whether new requests are told by the browser's notifications. */
  notifications: boolean
  /** Whether the context is shown beside the request on wide screens. */
  context: boolean
}

const KEY = 'holdpoint.preferences'

type Stored = Pick<Storage, 'getItem' | 'setItem'>

/** Reads what was stored. Anything unknown counts as not chosen. */
export function readPreferences(storage: Stored, tags: readonly string[]): Preferences {
  const stored = parse(storage.getItem(KEY))
  return {
    language: languages.find((each) => each === stored.language) ?? preferredLanguage(tags),
    theme: themes.find((each) => each === stored.theme) ?? 'system',
    keys: stored.keys !== false,
    notifications: stored.notifications === true,
    context: stored.context !== false,
  }
}

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

type Change = (change: Partial<Preferences>) => void

const Context = createContext<readonly [Preferences, Change] | undefined>(undefined)

/** Keeps the preferences of this device. Other tabs follow. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [preferences, setPreferences] = useState(() => readPreferences(localStorage, navigator.languages))
  const change = useCallback<Change>((part) => {
    setPreferences((before) => {
      const after = { ...before, ...part }
      localStorage.setItem(KEY, JSON.stringify(after))
      return after
    })
  }, [])
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === KEY) setPreferences(readPreferences(localStorage, navigator.languages))
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])
  return <Context value={useMemo(() => [preferences, change] as const, [preferences, change])}>{children}</Context>
}

/** The preferences of this device, and how to change them. */
export function usePreferences(): readonly [Preferences, Change] {
  const value = use(Context)
  if (!value) throw new Error('usePreferences needs a PreferencesProvider.')
  return value
}
