import { hiddenCount } from '../../../core/display/hidden.ts'
import { titleText } from '../../../core/display/title.ts'
import { visibleBrief } from '../../../core/display/visible.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'

const LONGEST = 200

/** The headline of a request as one line of plain text, without characters that could deceive. */
export function titleOf({ display, args = {}, toolName, prompt, questions, kind }: EntryOf<'request.opened'>): string {
  if (display) return titleText(display, args)
  const asked = prompt ?? questions?.[0]?.prompt
  return visibleBrief((kind === 'approve' ? (toolName ?? asked) : (asked ?? toolName)) ?? kind, LONGEST)
}

/** How many hidden or direction-changing characters a request has in what it asks about. */
export function hiddenIn({ args, prompt, questions, details }: EntryOf<'request.opened'>): number {
  return [args, prompt, questions, details].reduce<number>((sum, value) => sum + hiddenCount(value), 0)
}
