import type { Clock } from '../../ports/clock.ts'

/**
 * If the clock goes back by up to this much, time stands still. If it goes back further, it was wrong before and is followed: otherwise one wrong
 * reading would delay every deadline, undo window and lease until real time has caught up.
 */
export const STANDSTILL_MS = 60_000

/** The steady time for a reading of the clock. `latest` is the highest time returned before. */
export function steadyTime(time: number, latest: number): number {
  return latest - time > STANDSTILL_MS ? time : Math.max(time, latest)
}

/** A clock that does not run backwards within {@link STANDSTILL_MS}, in integer milliseconds as databases store them. One per open store. */
export function steadyClock(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY
  return {
    now() {
      latest = steadyTime(Math.floor(clock.now()), latest)
      return latest
    },
  }
}
