import type { Entry } from '../protocol/entries/entry.ts'
import { copyState } from './fold/copy-state.ts'
import { apply } from './fold/fold.ts'
import { nextIfAny } from './next.ts'
import type { ThreadState } from './state.ts'

/**
 * Wake marks: when a driver must look at a thread next. The store keeps one for each thread.
 *
 * K1  After every append the mark is `wakeAt` of the state, or earlier. A mark that is too early costs one look, which sets it; one that is too late
 *     would leave a decision without a resume.
 * K2  Deadlines of requests are not part of it: `Store.due` finds them, and closing a request marks its thread.
 */

/** A change of the mark. The same shape as the store's, which core does not import. */
export type ProjectedWake = { op: 'by'; inMs: number } | { op: 'set'; at: number | null }

/** When a driver must look at a thread next. `null`: only people can move it, or its run is over. */
export function wakeAt(state: ThreadState, now: number): number | null {
  const step = nextIfAny(state, { now, running: new Set() })
  switch (step?.do) {
    // Calls wait and nobody is asked: driving it again would only fail again.
    case undefined:
    case 'nothing':
    case 'await-people':
    // No driver moves it.
    case 'await-host':
      return null
    case 'await-time':
      // Stores count whole milliseconds.
      return Math.ceil(step.until)
    default:
      return Math.floor(now)
  }
}

/** The same, once these entries are folded too. */
export function wakeAfter(state: ThreadState, entries: readonly Entry[], now: number): number | null {
  if (entries.length === 0) return wakeAt(state, now)
  if (entries.at(-1)?.type === 'run.settled') return null
  const after = copyState(state)
  for (const entry of entries) apply(after, entry, now)
  return wakeAt(after, now)
}

/**
 * The change that entries make to the mark, for writers that do not drive. `isOfRun` says of a request that names no call whether it belongs to a
 * run: the application's own questions move nothing. `undefined`: they change nothing.
 */
export function wakeOf(entries: readonly Entry[], isOfRun: (request: string) => boolean): ProjectedWake | undefined {
  const times = entries.flatMap((entry) => delayOf(entry, isOfRun) ?? [])
  return times.length > 0 ? { op: 'by', inMs: Math.min(...times) } : undefined
}

/** How long after an entry its thread has to be looked at. */
function delayOf(entry: Entry, isOfRun: (request: string) => boolean): number | undefined {
  switch (entry.type) {
    case 'run.opened':
    case 'input.added':
    case 'call.finished':
    case 'call.refused':
      return 0
    case 'request.decided':
    case 'request.answered':
    case 'request.closed': {
      const moves = entry.call !== undefined || isOfRun(entry.id)
      return moves ? Math.ceil(('undoMs' in entry ? entry.undoMs : undefined) ?? 0) : undefined
    }
    default:
      return undefined
  }
}

/** Whether a thread's run is driven from outside once these entries are folded. No driver is woken for it. */
export function isExternal({ run }: ThreadState, entries: readonly Entry[]): boolean {
  return (
    run?.driver === 'external' || entries.some((entry) => entry.type === 'run.opened' && entry.driver !== undefined)
  )
}

/** The agent whose run these entries open. */
export function openedRun(entries: readonly Entry[]): { agent: string; version: string | null } | undefined {
  for (const entry of entries)
    if (entry.type === 'run.opened') return { agent: entry.agent.id, version: entry.agent.version ?? null }
  return undefined
}
