import { pause } from '../ports/clock.ts'
import { StoreContended } from '../protocol/errors/errors.ts'

/** How often a change is planned before it is given up. With the pauses that is about eight seconds. */
const MAX_ROUNDS = 40
/** So many rounds follow one another at once: losing a race or two is ordinary. */
const QUICK_ROUNDS = 4
const LONGEST_PAUSE_MS = 250

/** One try. After a pause what was read before it is out of date. */
export interface Round {
  readonly first: boolean
  readonly paused: boolean
}

/**
 * The one way to write: read, plan, append; if a guard refused it, again on what is there now. `round` makes one try and resolves to
 * `undefined` if it was refused. Rounds are bounded, pause with jitter after the first few, and end when the signal fires; who loses every
 * one of them gets `StoreContended`, and nothing of theirs was stored.
 */
export async function commit<T>(
  what: string,
  round: (round: Round) => Promise<{ done: T } | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  for (let nth = 0; nth < MAX_ROUNDS; nth++) {
    const paused = nth >= QUICK_ROUNDS
    if (paused)
      await pause(Math.min(LONGEST_PAUSE_MS, 2 ** (nth - QUICK_ROUNDS)) * (0.5 + Math.random() / 2), { signal })
    if (nth > 0) signal?.throwIfAborted()
    const ended = await round({ first: nth === 0, paused })
    if (ended) return ended.done
  }
  throw new StoreContended(what, MAX_ROUNDS)
}
