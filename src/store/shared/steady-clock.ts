import type { Clock } from '../../ports/clock.ts'

/**
 * For how long time stands still instead of running backwards. A clock that was further ahead than this was wrong, and is set right: otherwise
 * one wrong reading would hold up every deadline, undo window and lease until real time has caught up.
 */
export const STANDSTILL_MS = 60_000

/** The time, where `latest` is the latest that was returned before. */
export function steadyTime(time: number, latest: number): number {
  return latest - time > STANDSTILL_MS ? time : Math.max(time, latest)
}

/** A clock that does not run backwards within {@link STANDSTILL_MS}, in whole milliseconds as databases store them, for one open store. */
export function steadyClock(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY
  return {
    now() {
      latest = steadyTime(Math.floor(clock.now()), latest)
      return latest
    },
  }
}
