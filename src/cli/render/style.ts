/** Colours and weights. Outside of a terminal all of them are plain text. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
  accent(text: string): string
}

const same = (text: string) => text

/** No colours. */
export const plainStyle: Style = { bold: same, dim: same, good: same, bad: same, accent: same }

const sgr = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`

/** Colours of the terminal's own palette. */
export const ansiStyle: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  good: sgr(32, 39),
  bad: sgr(31, 39),
  accent: sgr(36, 39),
}
