import type { CallKey } from '../../../protocol/ids.ts'
import type { Step } from './story.ts'
import type { ThreadEntry } from './thread-entries.ts'

/** By how many steps a page may be longer than asked, to begin where no call is under way. */
const SLACK = 20

/**
 * The entry at which the last `limit` steps of a story begin. `undefined`: it has no more. Preferably no call is under way there: then each call of the
 * page is told with its end. What one entry tells is not divided.
 */
export function cutOf(steps: readonly Step[], entries: readonly ThreadEntry[], limit: number): number | undefined {
  if (steps.length <= limit) return undefined
  const first = steps.length - limit
  const spans = spansIn(entries)
  for (let index = first; index > Math.max(0, first - SLACK); index--) {
    const { seq } = steps[index]!
    if (!spans.some(({ from, to }) => from < seq && seq <= to)) return seq
  }
  return steps[first]!.seq
}

/** From where to where each call was under way. */
function spansIn(entries: readonly ThreadEntry[]): { from: number; to: number }[] {
  const spans = new Map<CallKey, { from: number; to: number }>()
  for (const { seq, entry } of entries) {
    if (entry.type === 'call.started' && !spans.has(entry.call))
      spans.set(entry.call, { from: seq, to: Number.POSITIVE_INFINITY })
    if (entry.type !== 'call.finished' && entry.type !== 'call.refused') continue
    const known = spans.get(entry.call)
    if (known) known.to = seq
    else if (entry.type === 'call.finished') spans.set(entry.call, { from: 0, to: seq })
  }
  return [...spans.values()]
}
