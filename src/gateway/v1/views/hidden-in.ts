import { hiddenCount } from '../../../core/display/hidden.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'

/** How many hidden or direction-changing characters a request has in what it asks about. */
export function hiddenIn({ args, prompt, questions, details }: EntryOf<'request.opened'>): number {
  return [args, prompt, questions, details].reduce<number>((sum, value) => sum + hiddenCount(value), 0)
}
