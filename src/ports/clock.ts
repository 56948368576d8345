/** Wall-clock time in milliseconds. Only stores ask for it, so that one clock rules a thread. */
export interface Clock {
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
