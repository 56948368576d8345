import { type CallKey, frameOf } from '../../../protocol/ids.ts'
import { type Placed, type ThreadEntry, turnOf } from '../views/thread-entries.ts'
import { sideOfAnswer, type Turn } from '../views/turn-order.ts'
import type { ThreadWindow } from './thread-window.ts'

/** How many entries are read at each place that is looked at. */
const LOOK = 16

/** The answer of the model that made a call, found by halving: the turns of a frame follow each other. `before` is an entry after it. */
export async function findAnswer(
  window: ThreadWindow,
  call: CallKey,
  before: number,
): Promise<Placed<'model.answered'> | undefined> {
  const turn: Turn = { frame: frameOf(call), number: Number.parseInt(turnOf(call).slice(frameOf(call).length + 1), 10) }
  let [low, high] = [0, before]
  while (high - low > 1) {
    const middle = low + Math.floor((high - low - 1) / 2)
    const found = await look(window, turn, { from: middle, high })
    if (found.answer) return found.answer
    if (found.low > middle) low = found.low
    high = Math.min(found.high, found.low > middle ? high : middle + 1)
  }
  return undefined
}

/** Looks at entries from a place on, until they say on which side of it the answer is. */
async function look(window: ThreadWindow, turn: Turn, { from, high }: { from: number; high: number }) {
  let low = from
  for (let at = from; at < high - 1; at += LOOK) {
    for (const placed of await entriesAfter(window, at, Math.min(at + LOOK, high - 1))) {
      const side = sideOfAnswer(placed.entry, turn)
      if (side === 'here') return { answer: placed as Placed<'model.answered'>, low, high }
      if (side === 'after') return { low, high: placed.seq }
      if (side === 'before') low = placed.seq
    }
    if (low > from) return { low, high }
  }
  return { low, high }
}

/** What was recorded about a call right after the model made it, up to where it ended or something came after it. */
export async function findCall(window: ThreadWindow, call: CallKey, before: number): Promise<ThreadEntry[]> {
  const answer = await findAnswer(window, call, before)
  if (!answer) return []
  const own: ThreadEntry[] = [answer]
  for (let at = answer.seq; at < before - 1; at += LOOK) {
    const part = await entriesAfter(window, at, Math.min(at + LOOK, before - 1))
    own.push(...part.filter(({ entry }) => 'call' in entry && entry.call === call))
    if (own.some(({ entry }) => entry.type === 'call.started' || entry.type === 'call.refused')) break
  }
  return own
}

function entriesAfter(window: ThreadWindow, from: number, to: number): Promise<ThreadEntry[]> {
  return window.readBefore(to + 1, to - from)
}
