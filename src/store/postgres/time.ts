import type { Clock } from '../../ports/clock.ts'
import { steadyClock, steadyTime } from '../shared/steady-clock.ts'

/** The time of a store as its functions take it: `told`, and whether that is the time (`fixed`) or only the latest that was seen. */
export interface StoreTime {
  values(): [told: number, fixed: boolean]
  /** Takes note of a time that the database gave, and returns it. Whoever asks later is not told an earlier one, unless that was far ahead. */
  saw(time: number): number
}

/** The database's time, or that of a clock that was brought. */
export function createTime(clock: Clock | undefined): StoreTime {
  if (clock) {
    const steady = steadyClock(clock)
    return { values: () => [steady.now(), true], saw: (time) => time }
  }
  let latest = 0
  return {
    values: () => [latest, false],
    saw(time) {
      latest = steadyTime(time, latest)
      return time
    },
  }
}

/** How long the database waits for locks, in milliseconds: less than it is waited for itself, so that it is the one to say so. */
export function patienceOf(timeoutMs: number): number {
  return Math.min(2 ** 31 - 1, Math.max(1, Math.floor(timeoutMs * 0.8)))
}
