/** The languages of the page. */
export const languages = ['en', 'zh'] as const
/** A language of the page. */
export type Language = (typeof languages)[number]

/** The same words in each language. A view keeps its own: `const en = { … }`, `const zh: typeof en = { … }`. */
export type Dictionary<T> = Readonly<Record<Language, T>>

/** The value of the `lang` attribute. */
export const tagOf: Dictionary<string> = { en: 'en', zh: 'zh-CN' }

/** The language that the browser asks for, else English. */
export function preferredLanguage(tags: readonly string[]): Language {
  const known = tags.map((tag) => tag.toLowerCase().split('-')[0])
  return languages.find((language) => language === known.find((tag) => languages.some((each) => each === tag))) ?? 'en'
}

/** The locale for numbers and dates: the reader's own if it fits the language. */
export function localeOf(language: Language, tags: readonly string[]): string {
  return tags.find((tag) => tag.toLowerCase().startsWith(language)) ?? { en: 'en-GB', zh: 'zh-CN' }[language]
}
