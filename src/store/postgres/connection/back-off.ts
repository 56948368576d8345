import { sleep } from '../../../ports/clock.ts'
import { isUnreachable, kindOf, toStoreError } from './failure.ts'

/** How long to wait before trying again: 10 ms at first, 500 at most, with jitter. */
export function backOffMs(tries: number): number {
  return Math.min(500, 10 * 2 ** tries) * (0.5 + Math.random())
}

/** Idempotent work to retry, and for how long. */
export interface Attempt<T> {
  place: string
  timeoutMs: number
  run: () => Promise<T>
}

/** Retries until the database can be reached and no lock is in the way. */
export async function untilReached<T>({ place, timeoutMs, run }: Attempt<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let tries = 0; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!isUnreachable(error) && kindOf(error) !== 'again') throw toStoreError(error, place)
      if (performance.now() >= deadline) throw toStoreError(error, place)
    }
    await sleep(backOffMs(tries))
  }
}
