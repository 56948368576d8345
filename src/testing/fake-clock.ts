import type { Clock } from '../ports/clock.ts'

/** A clock that moves only when set or advanced. Its timers then fire. */
export interface FakeClock extends Clock {
  advance(ms: number): void
  /** Sets the time. It may be in the past. */
  set(ms: number): void
  after(ms: number, act: () => void): () => void
  /** The number of pending timers. */
  readonly waiting: number
}

/** Creates a clock that stands at `start`, by default the beginning of 2026. */
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
      // A timer that is already due still fires asynchronously, as on the machine.
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
