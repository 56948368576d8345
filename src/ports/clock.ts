import { whenAborted } from './signals.ts'

/** Wall-clock time in milliseconds. Only stores read it, so that each thread has one clock. */
export interface Clock {
  now(): number
  /**
   * Calls `act` after `ms` by this clock. Returns a function that cancels the timer. Default: the machine's timers,
   * which suit every clock that runs at the machine's speed.
   */
  after?(ms: number, act: () => void): () => void
}

/** The longest delay of a platform timer. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** The machine's clock. */
export const systemClock: Clock & Required<Pick<Clock, 'after'>> = { now: () => Date.now(), after: afterOnMachine }

/** The time by a clock, or by the machine's if there is none. */
export function timeBy(clock: Clock | undefined): number {
  return (clock ?? systemClock).now()
}

/** Calls `act` after `ms` by a clock. Returns a function that cancels the timer. */
export function after(ms: number, act: () => void, clock: Clock | undefined): () => void {
  return clock?.after ? clock.after(ms, act) : afterOnMachine(ms, act)
}

/** A reading for measuring elapsed time by a clock. */
export function ticks(clock: Clock | undefined): number {
  return clock?.after ? clock.now() : performance.now()
}

/** Options of a sleep. */
export interface SleepOptions {
  /** Ends the sleep: it rejects with the signal's reason, at once if already aborted. */
  signal?: AbortSignal | undefined
  /** The clock to wait by. Default: the machine's. */
  clock?: Clock | undefined
}

/**
 * Resolves after `ms`, however long. Rejects with the signal's reason when it fires. Leaves no listener on the signal.
 */
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

/** Like `sleep`, but resolves when the signal fires, for callers that check the signal anyway. */
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
    // Rounded up: a timer that fires a fraction early would find its time not yet reached.
    if (left > LONGEST_MS) timer = setTimeout(arm, LONGEST_MS)
    else timer = setTimeout(act, Math.max(0, Math.ceil(left)))
  }
  arm()
  return () => clearTimeout(timer)
}
