import { StreamsFailed } from '../../protocol/errors.ts'
import type { Ring, Watches } from '../shared/watches.ts'
import type { Bell } from './bell.ts'

/** Something that is waited for. */
export interface Wait<T> {
  channel: string
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

/**
 * How long a waiter sleeps at most while the bell is heard: a net below it. Connections that broke are found sooner and by other means, so this is for
 * what a Cluster loses between its nodes; ten thousand who wait make some three hundred looks a second.
 */
const NET_MS = 30_000
/** The same while it is not heard. */
const DEAF_MS = 1000

/**
 * Looks, and then looks again whenever it rings, the session may have ended, or the net is due. The first look fails if Redis does; later
 * ones are tried again until the time is up.
 */
export async function waitFor<T>(
  wait: Wait<T>,
  { watches, bell }: { watches: Watches; bell: Bell },
): Promise<T | { kind: 'empty' }> {
  const { channel, waitMs, signal, look } = wait
  if (waitMs === 0 || signal?.aborted) {
    const seen = await look()
    return isNothing(seen) ? { kind: 'empty' } : seen
  }
  const watch = watches.watch(channel, wait)
  try {
    bell.hear(channel)
    for (let first = true; ; first = false) {
      let sleepMs = DEAF_MS
      try {
        const seen = await look()
        if (!isNothing(seen)) return seen
        if (bell.listening) sleepMs = NET_MS * (0.75 + Math.random() / 2)
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
