import { whenAborted } from './signals.ts'

/** Wall-clock time in milliseconds. Only stores ask for it, so that one clock rules a thread. */
export interface Clock {
  now(): number
  /**
   * Calls `act` when `ms` have passed by this clock, and returns what cancels that. Left out: the machine's timers are used, which is right for
   * every clock that runs as fast as the machine's.
   */
  after?(ms: number, act: () => void): () => void
}

/** The longest delay that a timer of the platform takes: it fires a longer one at once. */
const LONGEST_MS = 2 ** 31 - 1

/** The machine's clock. */
export const systemClock: Clock & Required<Pick<Clock, 'after'>> = { now: () => Date.now(), after: afterOnMachine }

/** Calls `act` when `ms` have passed by a clock. Returns what cancels that. */
export function after(ms: number, act: () => void, clock: Clock | undefined): () => void {
  return clock?.after ? clock.after(ms, act) : afterOnMachine(ms, act)
}

/** A reading for measuring how much time has passed by a clock. */
export function ticks(clock: Clock | undefined): number {
  return clock?.after ? clock.now() : performance.now()
}

/** How to sleep. */
export interface SleepOptions {
  /** Ends the sleep: it rejects with the signal's reason, at once if the signal has fired already. */
  signal?: AbortSignal | undefined
  /** Whose time passes. Default: the machine's. */
  clock?: Clock | undefined
}

/** Settles when `ms` have passed, however many that are. Rejects with the signal's reason when it fires; leaves nothing on the signal. */
export function sleep(ms: number, { signal, clock }: SleepOptions = {}): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    let unlisten: (() => void) | undefined
    const wake = (): void => {
      unlisten?.()
      resolve()
    }
    const cancel = after(ms, wake, clock)
    const stop = (): void => {
      cancel()
      reject(signal?.reason)
    }
    unlisten = signal && whenAborted(signal, stop)
  })
}

/** The same for whoever looks at the signal anyway: settles after the time, or as soon as the signal fires. */
export function pause(ms: number, options: SleepOptions = {}): Promise<void> {
  return sleep(ms, options).catch((error: unknown) => {
    if (!options.signal?.aborted) throw error
  })
}

function afterOnMachine(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = performance.now() + ms
  const arm = (): void => {
    const left = end - performance.now()
    // Rounded up: a timer that fires a fraction early would find its time not over.
    if (left > LONGEST_MS) timer = setTimeout(arm, LONGEST_MS)
    else timer = setTimeout(act, Math.max(0, Math.ceil(left)))
  }
  arm()
  return () => clearTimeout(timer)
}
