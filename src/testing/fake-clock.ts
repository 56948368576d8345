import type { Clock } from '../ports/clock.ts'

/** A clock that moves only when it is told to. */
export interface FakeClock extends Clock {
  advance(ms: number): void
  /** Sets the time, also to one in the past. */
  set(ms: number): void
}

/** Stands at `start`, by default the beginning of 2026. */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let time = start
  return {
    now: () => time,
    advance(ms) {
      time += ms
    },
    set(ms) {
      time = ms
    },
  }
}
