import { people } from '../core/next.ts'
import type { Bodies } from './bodies.ts'
import type { Driver } from './driver.ts'
import { NEVER } from './until-aborted.ts'

/**
 * Waits until there is something to look at: a body ended, the journal changed (here or elsewhere), a deadline passed, or the thread was
 * detached or stopped. May return early; the loop looks again. `seen` is the version that the loop decided on: what was folded since is news.
 */
export async function idle(driver: Driver, seen: number): Promise<void> {
  const { journal, bodies, turns, control, signal, waiters } = driver
  if (journal.state.version !== seen) return
  const forPeople = driver.reception !== undefined || waiters.size > 0
  if (!forPeople && !turns.busy) return untilSettled(bodies, signal)
  const { requests, until } = people(journal.state)
  const done = new AbortController()
  const waits: Promise<unknown>[] = [aborted(signal, done.signal)]
  if (bodies.busy) waits.push(bodies.settled())
  if (turns.busy) waits.push(turns.ended())
  waits.push(control.nudged())
  if (requests.length > 0 && forPeople) {
    const { threadId, version } = journal.state
    waits.push(journal.store.changed(threadId, { after: version, signal: done.signal }))
    if (until !== undefined) waits.push(sleep(until - journal.now(), done.signal))
  }
  try {
    await Promise.race(waits)
  } finally {
    done.abort()
  }
  if (requests.length > 0 && forPeople) await journal.catchUp()
}

/** The plain case, and the one that has to be quick: only bodies are waited for. */
async function untilSettled(bodies: Bodies, signal: AbortSignal): Promise<void> {
  if (signal === NEVER) return bodies.settled()
  const done = new AbortController()
  await Promise.race([bodies.settled(), aborted(signal, done.signal)])
  done.abort()
}

/** Settles when either signal fires. */
function aborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const any = AbortSignal.any([signal, done])
    any.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Settles after a time, or when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, Math.min(Math.ceil(ms), 2_147_483_647)))
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
