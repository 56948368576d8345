/** How the page can look. The first two have every theme, language and width once. */
export const LOOKS = [
  { theme: 'light', language: 'en', width: 1440 },
  { theme: 'dark', language: 'zh', width: 390 },
  { theme: 'light', language: 'zh', width: 390 },
  { theme: 'dark', language: 'en', width: 390 },
  { theme: 'dark', language: 'zh', width: 1440 },
  { theme: 'light', language: 'zh', width: 1440 },
  { theme: 'dark', language: 'en', width: 1440 },
  { theme: 'light', language: 'en', width: 390 },
] as const
