import type { CallKey } from '../../../protocol/ids.ts'
import type { Step } from './story.ts'
import type { ThreadEntry } from './thread-entries.ts'

/** By how many steps a page may be longer than asked, to begin where no call is under way. */
const SLACK = 20
/** How many steps a page has where no number was asked for. */
export const BRIEF = { least: 8, most: 20 } as const

/**
 * The entry at which the last steps of a story begin: `limit` of them, or as many as a brief page has. `undefined`: it has no more. Preferably no call is under
 * way there: then each call of the page is told with its end. What one entry tells is not divided.
 */
export function cutOf(
  steps: readonly Step[],
  entries: readonly ThreadEntry[],
  limit: number | undefined,
): number | undefined {
  const { length } = steps
  if (length <= (limit ?? BRIEF.least)) return undefined
  const spans = spansIn(entries)
  const places = limit === undefined ? briefPlaces(length) : placesFrom(length - limit, length - limit - SLACK)
  const calm = places.find((index) => {
    const { seq } = steps[index]!
    return !spans.some(({ from, to }) => from < seq && seq <= to)
  })
  return steps[calm ?? places[0]!]!.seq
}

/** Where a brief page of a story may begin, the longest first. */
function briefPlaces(length: number): number[] {
  return placesFrom(length - BRIEF.least, length - BRIEF.most).reverse()
}

/** Numbers from one down to another, as far as they are not negative. */
function placesFrom(from: number, to: number): number[] {
  return Array.from({ length: from - Math.max(0, to) + 1 }, (_, index) => from - index)
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
