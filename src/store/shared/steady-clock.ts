import type { Clock } from '../../ports/clock.ts'

/** A clock that stands still instead of running backwards, in whole milliseconds as databases store them, for one open store. */
export function steadyClock(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY
  return {
    now() {
      latest = Math.max(latest, Math.floor(clock.now()))
      return latest
    },
  }
}
