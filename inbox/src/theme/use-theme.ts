import { useLayoutEffect, useSyncExternalStore } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { tagOf } from '../i18n/language.ts'
import { shownTheme } from './theme.ts'

const query = () => matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  const dark = query()
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}

/** Puts theme and language on the document. Returns the theme that is shown. */
export function useTheme(): 'light' | 'dark' {
  const [{ theme, language }] = usePreferences()
  const shown = shownTheme(
    theme,
    useSyncExternalStore(subscribe, () => query().matches),
  )
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = shown
    document.documentElement.lang = tagOf[language]
  }, [shown, language])
  return shown
}
