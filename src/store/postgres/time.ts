import type { Clock } from '../../ports/clock.ts'
import { steadyClock, steadyTime } from '../shared/steady-clock.ts'

/** The time of a store as its SQL functions take it: `told`, and whether that is the time (`fixed`) or only the highest time seen so far. */
export interface StoreTime {
  values(): [told: number, fixed: boolean]
  /** Records a time that the database returned, and returns it. Later times are not earlier than it, unless it was far ahead. */
  saw(time: number): number
}

/** The database's time, or that of the `clock` option. */
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

/** The lock timeout of the database in milliseconds. It is shorter than the caller's own timeout, so that the database reports it first. */
export function patienceOf(timeoutMs: number): number {
  return Math.min(2 ** 31 - 1, Math.max(1, Math.floor(timeoutMs * 0.8)))
}
