import { createContext, type ReactNode, use, useMemo } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { en } from './en.ts'
import { type Format, formatFor } from './format.ts'
import { type Dictionary, localeOf } from './language.ts'
import { zh } from './zh.ts'

/** The words of the inbox itself. */
export const words: Dictionary<typeof en> = { en, zh }

const FormatContext = createContext<Format>(formatFor('en', 'en-GB'))

/** Gives all that is inside the reader's formats. */
export function FormatProvider({ children }: { children: ReactNode }) {
  const [{ language }] = usePreferences()
  const format = useMemo(() => formatFor(language, localeOf(language, navigator.languages)), [language])
  return <FormatContext value={format}>{children}</FormatContext>
}

/** The reader's formats of numbers and times. */
export const useFormat = (): Format => use(FormatContext)

/** The words of a dictionary in the reader's language. */
export function useWords<T>(dictionary: Dictionary<T>): T {
  return dictionary[use(FormatContext).language]
}

/** The inbox's own words in the reader's language. */
export const useInboxWords = () => useWords(words)
