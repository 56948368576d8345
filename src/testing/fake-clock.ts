import type { Clock } from '../ports/clock.ts'

/** A clock that moves only when it is told to. What waits by it goes on then. */
export interface FakeClock extends Clock {
  advance(ms: number): void
  /** Sets the time, also to one in the past. */
  set(ms: number): void
  after(ms: number, act: () => void): () => void
  /** How many wait for it to move. */
  readonly waiting: number
}

/** Stands at `start`, by default the beginning of 2026. */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let time = start
  let timers: { due: number; act: () => void }[] = []

  function moveTo(ms: number): void {
    time = ms
    const due = timers.filter((timer) => timer.due <= time).sort((one, other) => one.due - other.due)
    timers = timers.filter((timer) => timer.due > time)
    for (const { act } of due) act()
  }

  return {
    now: () => time,
    advance: (ms) => moveTo(time + ms),
    set: moveTo,
    after(ms, act) {
      const timer = { due: time + ms, act }
      timers.push(timer)
      // What is due already still waits for a moment, as on the machine.
      if (ms <= 0) setTimeout(() => moveTo(time), 0)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    get waiting() {
      return timers.length
    },
  }
}
