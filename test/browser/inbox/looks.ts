import { soak } from '../../support/soak.ts'

/** How the page can look. The first two have every theme, language and width once; `npm run soak` has all. */
const ALL = [
  { theme: 'light', language: 'en', width: 1440 },
  { theme: 'dark', language: 'zh', width: 390 },
  { theme: 'light', language: 'zh', width: 390 },
  { theme: 'dark', language: 'en', width: 390 },
  { theme: 'dark', language: 'zh', width: 1440 },
  { theme: 'light', language: 'zh', width: 1440 },
  { theme: 'dark', language: 'en', width: 1440 },
  { theme: 'light', language: 'en', width: 390 },
] as const

/** The looks that this run checks. */
export const LOOKS = ALL.slice(0, soak.times(2, ALL.length))
