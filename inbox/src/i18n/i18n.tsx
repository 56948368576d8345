import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { en } from './en.ts'
import { type Format, formatFor } from './format.ts'
import { type Dictionary, type Language, localeOf } from './language.ts'

/** The inbox's own words. */
export type Words = typeof en

/** Loads the words of a language. English is always there. */
export const loadWords: Dictionary<() => Promise<Words>> = {
  en: async () => en,
  zh: async () => (await import('./zh.ts')).zh,
}

interface Speech {
  format: Format
  words: Words
}

const Context = createContext<Speech>({ format: formatFor('en', 'en-GB'), words: en })

interface SpeechProviderProps {
  /** The words of the language that the page starts with. */
  initial: { language: Language; words: Words }
  children: ReactNode
}

/** Gives all that is inside the reader's words and formats. Another language is spoken once its words are there. */
export function SpeechProvider({ initial, children }: SpeechProviderProps) {
  const [{ language }] = usePreferences()
  const [spoken, setSpoken] = useState(initial)
  useEffect(() => {
    let gone = false
    void loadWords[language]().then((words) => {
      if (!gone) setSpoken({ language, words })
    })
    return () => {
      gone = true
    }
  }, [language])
  const speech = useMemo(
    () => ({ format: formatFor(spoken.language, localeOf(spoken.language, navigator.languages)), words: spoken.words }),
    [spoken],
  )
  return <Context value={speech}>{children}</Context>
}

/** The reader's formats of numbers and times. */
export const useFormat = (): Format => use(Context).format

/** The words of a dictionary in the reader's language. */
export function useWords<T>(dictionary: Dictionary<T>): T {
  return dictionary[use(Context).format.language]
}

/** The inbox's own words in the reader's language. */
export const useInboxWords = (): Words => use(Context).words
