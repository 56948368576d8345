import { people } from '../../core/next.ts'
import { pause } from '../../ports/clock.ts'
import { NEVER, whenAborted } from '../../ports/signals.ts'
import type { Bodies } from '../body/bodies.ts'
import type { LoopSignals } from '../body/loop-signals.ts'
import type { WaitingBodies } from '../body/waiting-bodies.ts'
import type { Journal } from '../journal/journal.ts'
import type { NestedTurns } from './nested-turns.ts'

/** What waiting for a time needs. */
interface Watcher {
  readonly journal: Journal
  readonly signals: LoopSignals
  readonly signal: AbortSignal
}

/** What waiting for anything needs. */
interface Idler extends Watcher {
  readonly bodies: Bodies
  readonly turns: NestedTurns
  readonly waiting: WaitingBodies
  readonly presenter: object | undefined
}

/**
 * Waits until there is something to do: a body ended, the journal changed (here or elsewhere), a deadline passed, or the thread was detached or
 * stopped. May return early, since the loop checks again. `seen` is the version that the loop decided on: if more was folded since, it returns at once.
 */
export async function idle(parts: Idler, seen: number): Promise<void> {
  const { journal, bodies, turns, signals, signal, waiting } = parts
  if (journal.state.version !== seen) return
  const forPeople = parts.presenter !== undefined || waiting.size > 0
  if (!forPeople && !turns.busy) return untilSettled(bodies, signal)
  const { requests, until } = people(journal.state)
  const done = new AbortController()
  const waits: Promise<unknown>[] = [aborted(signal, done.signal)]
  if (bodies.busy) waits.push(bodies.settled())
  if (turns.busy) waits.push(turns.ended())
  waits.push(signals.nudged())
  if (requests.length > 0 && forPeople) {
    const { threadId, version } = journal.state
    waits.push(journal.store.changed(threadId, { after: version, signal: done.signal }))
    if (until !== undefined) waits.push(journal.until(until, done.signal))
  }
  try {
    await Promise.race(waits)
  } finally {
    done.abort()
  }
  if (requests.length > 0 && forPeople) await journal.catchUp()
}

/** Waits for a time of the store. Returns earlier if the journal changes: a decision may be withdrawn before it takes effect. */
export async function idleUntil({ journal, signals, signal }: Watcher, time: number, seen: number): Promise<void> {
  const { threadId, version } = journal.state
  if (version !== seen) return
  const done = new AbortController()
  const changed = journal.store.changed(threadId, { after: version, signal: done.signal })
  try {
    await Promise.race([journal.until(time, done.signal), changed, signals.nudged(), aborted(signal, done.signal)])
  } finally {
    done.abort()
  }
  await journal.catchUp()
}

/** Waits until another process that drives the thread has written something, for a second at most: it may have died. */
export async function idleBehind({ journal, signal }: Pick<Watcher, 'journal' | 'signal'>): Promise<void> {
  const done = new AbortController()
  const { threadId, version } = journal.state
  try {
    await Promise.race([
      journal.store.changed(threadId, { after: version, signal: done.signal }),
      pause(1_000, { signal: done.signal }),
      aborted(signal, done.signal),
    ])
  } finally {
    done.abort()
  }
  await journal.catchUp()
}

/** The fast path: only bodies are waited for. */
async function untilSettled(bodies: Bodies, signal: AbortSignal): Promise<void> {
  if (signal === NEVER) return bodies.settled()
  let unlisten: (() => void) | undefined
  const stopped = new Promise<void>((resolve) => {
    unlisten = whenAborted(signal, resolve)
  })
  await Promise.race([bodies.settled(), stopped])
  unlisten?.()
}

/** Settles when the signal fires. `done` removes its listener. */
function aborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const unlisten = whenAborted(signal, resolve)
    done.addEventListener('abort', unlisten, { once: true })
  })
}
