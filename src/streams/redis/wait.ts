import { StreamsFailed } from '../../protocol/errors/errors.ts'
import type { Ring, Watches } from '../shared/watches.ts'
import type { Bell } from './bell.ts'

/** Something that is waited for. */
export interface StreamWait<T> {
  channel: string | readonly string[]
  ring: Ring
  waitMs: number
  signal: AbortSignal | undefined
  /** What there is now; if there is nothing, for how long the session is there for certain. */
  look(): Promise<T | Nothing>
}

/** There is nothing now. */
export interface Nothing {
  kind: 'nothing'
  leftMs: number
}

/** The longest sleep of a waiter while the bell does not listen. Grows with the number of waiters to stay under LOOKS_PER_SECOND. */
const DEAF_MS = 1000
const LOOKS_PER_SECOND = 500

/**
 * Looks, and looks again whenever the bell rings, the session may have ended, or `netMs` passed. If Redis fails, the first look throws; later ones
 * are retried until the time is up.
 */
export async function waitFor<T>(
  wait: StreamWait<T>,
  { watches, bell, netMs }: { watches: Watches; bell: Bell; netMs: number },
): Promise<T | { kind: 'empty' }> {
  const { channel, waitMs, signal, look } = wait
  if (waitMs === 0 || signal?.aborted) {
    const seen = await look()
    return isNothing(seen) ? { kind: 'empty' } : seen
  }
  const watch = watches.watch(channel, wait)
  try {
    for (const each of typeof channel === 'string' ? [channel] : channel) bell.hear(each)
    for (let first = true; ; first = false) {
      let sleepMs = Math.max(DEAF_MS, (watches.size / LOOKS_PER_SECOND) * 1000)
      try {
        const seen = await look()
        if (!isNothing(seen)) return seen
        if (bell.listening) sleepMs = netMs * (0.75 + Math.random() / 2)
        sleepMs = Math.min(sleepMs, seen.leftMs)
      } catch (error) {
        if (first || !(error instanceof StreamsFailed)) throw error
      }
      if ((await watch.next(sleepMs)) === 'over') return { kind: 'empty' }
    }
  } finally {
    watch.close()
  }
}

function isNothing(seen: unknown): seen is Nothing {
  return (seen as Nothing).kind === 'nothing'
}
