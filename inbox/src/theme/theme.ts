/** What a person can choose. */
export const themes = ['system', 'light', 'dark'] as const
/** A choice of theme. */
export type Theme = (typeof themes)[number]

/** The theme that is shown for a choice. */
export const shownTheme = (theme: Theme, systemIsDark: boolean): 'light' | 'dark' =>
  theme === 'system' ? (systemIsDark ? 'dark' : 'light') : theme
