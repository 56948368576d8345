import { pause } from '../../ports/clock.ts'
import { StoreContended } from '../../protocol/errors/errors.ts'

/** How often a change is tried before giving up: about eight seconds, with the pauses. */
const MAX_ROUNDS = 40
/** How many rounds follow without a pause: losing a race or two is ordinary. */
const QUICK_ROUNDS = 4
const LONGEST_PAUSE_MS = 250

/** One try. After a pause, earlier reads are out of date. */
export interface Round {
  readonly first: boolean
  readonly paused: boolean
}

/**
 * The one way to write: read, plan, append, and start over on the current state if a guard refused. `round` makes one try and resolves to
 * `undefined` if it was refused. Rounds are bounded, pause with jitter after the first few, and end when the signal fires. If every round is
 * refused, throws `StoreContended`, and nothing was stored.
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
