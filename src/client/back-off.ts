/** How long to wait before another try. */
export interface BackOffOptions {
  /** Before the second try; doubled for each one after it. Default 500. */
  initialMs?: number
  /** Never longer than this, unless the server says so. Default 30 000. */
  maxMs?: number
}

/** The time before try number `failures + 1`: doubling, and spread over its upper half so that clients do not come all at once. */
export function backOffMs(failures: number, { initialMs = 500, maxMs = 30_000 }: BackOffOptions): number {
  const full = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30))
  return full / 2 + (Math.random() * full) / 2
}

/** The longest delay of a timer, almost 25 days: a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Settles after a time (of at most 25 days), or as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(ms, LONGEST_MS))
    signal?.addEventListener('abort', done)
  })
}
