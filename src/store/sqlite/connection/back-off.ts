import { sleep } from '../../../ports/clock.ts'
import { StoreBusy } from '../../../protocol/errors/errors.ts'
import { isBusy, toStoreError } from './failure.ts'

/** The delay before the next try for a lock: 1 ms at first, 25 at most, with jitter. */
export function backOffMs(tries: number): number {
  return Math.min(25, 2 ** tries) * (0.5 + Math.random())
}

/** Work to retry, and for how long. */
export interface Attempt<T> {
  path: string
  timeoutMs: number
  run: () => T
}

/** Retries until the file is not busy. The first try is immediate, and the event loop is free between tries. */
export async function untilFree<T>({ path, timeoutMs, run }: Attempt<T>): Promise<T> {
  let deadline: number | undefined
  for (let tries = 0; ; tries++) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error, path)
      deadline ??= performance.now() + timeoutMs
      if (performance.now() >= deadline) throw new StoreBusy(path, error)
    }
    await sleep(backOffMs(tries))
  }
}
