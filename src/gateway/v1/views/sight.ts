import { listsOf, maySee, seesAll } from '../../../core/access.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import type { CallKey } from '../../../protocol/ids.ts'
import type { Caller } from '../../auth/auth.ts'
import { outerCalls, type ThreadEntry } from './thread-entries.ts'

/**
 * What a reader may see of a thread. A request that is for others is absent, and so is its call: arguments, results, and all that happened inside of
 * it. What a model wrote in the turn of such a call, or in an answer that is held for others, and later in that run, is absent too: it may repeat what
 * the request was about or what came of it.
 */
export interface Sight {
  request(opened: EntryOf<'request.opened'>): boolean
  call(key: CallKey): boolean
  /** Whether a model's text may be shown. */
  words(answered: EntryOf<'model.answered'>): boolean
}

/** A request of a thread. `turn`: for one that holds the answer of a root, the turn of that answer. */
export interface KnownOpening {
  readonly opened: EntryOf<'request.opened'>
  readonly turn?: number
}

/** The sight of one caller, by all requests of the thread. */
export function sightOf(caller: Caller, requests: readonly KnownOpening[]): Sight {
  if (seesAll(caller)) return { request: () => true, call: () => true, words: () => true }
  const seen = new Set<CallKey>()
  const hidden = new Set<CallKey>()
  const request = (opened: EntryOf<'request.opened'>): boolean => maySee(caller, listsOf(opened))
  for (const { opened } of requests) {
    // The answer of a nested run is the result of the call that it is nested in.
    const key = opened.call ?? (opened.frame as CallKey | undefined)
    if (key === undefined) continue
    if (!request(opened)) hidden.add(key)
    else if (opened.call !== undefined) seen.add(key)
  }
  // A call that was asked about twice is seen only by those who may see both.
  for (const key of hidden) seen.delete(key)
  const call = (key: CallKey): boolean => {
    if (hidden.has(key)) return false
    return seen.has(key) || !outerCalls(key).some((outer) => hidden.has(outer))
  }
  const firstTurns = hiddenTurns([...hidden, ...hiddenAnswers(requests, request)])
  const words = ({ frame, turn }: EntryOf<'model.answered'>): boolean => {
    const [run = frame] = frame.split('/')
    const first = firstTurns.get(run)
    if (first === undefined) return true
    // Only turns of the root before the first hidden call are known to come before it.
    return frame === run && turn < first
  }
  return { request, call, words }
}

/** The requests among entries. The answer that one holds is the last of its frame before it. */
export function openingsIn(entries: readonly ThreadEntry[]): KnownOpening[] {
  const turns = new Map<string, number>()
  return entries.flatMap(({ entry }) => {
    if (entry.type === 'model.answered') turns.set(entry.frame, entry.turn)
    if (entry.type !== 'request.opened') return []
    const turn = holdsRoot(entry) ? turns.get(entry.run) : undefined
    return [turn === undefined ? { opened: entry } : { opened: entry, turn }]
  })
}

/** Whether a request holds the answer of a root. */
export function holdsRoot(
  opened: EntryOf<'request.opened'>,
): opened is EntryOf<'request.opened'> & { gate: true; run: string } {
  return opened.gate === true && opened.run !== undefined && opened.frame === undefined
}

/** The turns in which roots gave answers that are held for others, written like the key of a call. */
function hiddenAnswers(requests: readonly KnownOpening[], maySee: Sight['request']): string[] {
  return requests.flatMap(({ opened, turn = 0 }) =>
    holdsRoot(opened) && !maySee(opened) ? [`${opened.run}/${turn}`] : [],
  )
}

/** The first turn of the root, by run, in which or inside of which something is hidden. */
function hiddenTurns(hidden: readonly string[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const key of hidden) {
    const [run = '', place = ''] = key.split('/')
    const turn = Number.parseInt(place, 10)
    first.set(run, Math.min(first.get(run) ?? Number.POSITIVE_INFINITY, turn))
  }
  return first
}
