import type { Actor } from '../../index.ts'
import { quotedLines } from './long-text.ts'
import type { CardLayout } from './request-facts.ts'
import { relative } from './time.ts'
import { visible } from './visible.ts'

/** A comment, as it is shown. */
export interface ShownComment {
  readonly at: string
  readonly by: Actor
  readonly text: string
}

/** The comments of people on a request, oldest first. */
export function commentLines(comments: readonly ShownComment[], layout: CardLayout): string[] {
  const inner = { ...layout, width: layout.width - 6 }
  return comments.flatMap(({ at, by, text }) => [
    '',
    `  ${layout.style.dim(`${visible(by.id)} commented ${relative(at, layout.now)}`)}`,
    ...quotedLines(text, inner).map((line) => `    ${line}`),
  ])
}
